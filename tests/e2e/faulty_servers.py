"""Servers and proxies that cut, lose or replace the daemon's answers."""
import contextlib
import socket
import threading


class Script:
    """A server that is no apspd: each connection gets the next of its replies."""

    def __init__(self, *replies):
        self._replies = replies
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            for reply in self._replies:
                connection, _ = self._listener.accept()
                with connection:
                    head = b""
                    while b"\r\n\r\n" not in head:
                        head += connection.recv(1)  # and nothing of a body
                    connection.sendall(("HTTP/1.1 " + reply).encode())

    def close(self):
        self._listener.close()


class Cutter:
    """A proxy that closes each connection after so many bytes of the answer."""

    def __init__(self, address, limits, context=None):
        self._context = context
        host, port = address.rsplit(":", 1)
        self._daemon = host, int(port)
        self._limits = list(limits)
        self.requests = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                limit = self._limits.pop(0) if self._limits else None
                threading.Thread(target=self._pass, args=(client, limit), daemon=True).start()

    def _pass(self, client, limit):
        with contextlib.suppress(OSError), client:
            if self._context:
                client = self._context.wrap_socket(client, server_side=True)
            self._relay(client, limit)

    def _relay(self, client, limit):
        with client, socket.create_connection(self._daemon) as daemon:
            threading.Thread(target=self._forth, args=(client, daemon), daemon=True).start()
            left = limit
            try:
                while piece := daemon.recv(1 << 16):
                    client.sendall(piece[:left])
                    left = None if left is None else left - len(piece)
                    if left is not None and left <= 0:
                        return
            finally:
                client.shutdown(socket.SHUT_RDWR)  # closing alone would wait for _forth()

    def _forth(self, client, daemon):
        with contextlib.suppress(OSError):
            while piece := client.recv(1 << 16):
                self.requests.append(piece)
                daemon.sendall(piece)
            daemon.shutdown(socket.SHUT_WR)

    def close(self):
        self._listener.close()


# Once a proxy has lost its daemon, and once another program answers.
STRANGE = ("200 OK\r\n\r\n{}", "502 Bad\r\n\r\n<html>", '200 OK\r\n\r\n{"a":1}',
           "301 Moved\r\nLocation: https://lab.example/\r\n\r\n",
           "200 OK\r\n\r\n<html>", "502 Bad\r\n\r\n<html>bad gateway")

# A proxy whose second answer is lost, and which then no longer knows the daemon.
LOST_AND_NOT_FOUND = ("200 OK\r\n\r\n{}", "", "404 Not Found\r\n\r\n<html>no such site")
