"""What tests of the Python client share: the client, out of the tree, and a daemon."""
import importlib.util
import os
import sys
import warnings

from harness import Case, DATA, SOURCE_ROOT

SOURCE = os.path.join(SOURCE_ROOT, "api", "clients", "apspd.py")
LARVA = os.path.join(DATA, "larva_edges.csv")
WORM = os.path.join(DATA, "celegans_newman.csv")
RING = [("a", "b", 1), ("b", "c", 2), ("c", "d", 4), ("d", "a", 8)]


def load(path):
    spec = importlib.util.spec_from_file_location("apspd", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["apspd"] = module
    spec.loader.exec_module(module)
    return module


apspd = load(SOURCE)


class ClientCase(Case):
    def setUp(self):
        super().setUp()
        # connections of clients that nobody closes end with them
        warnings.simplefilter("ignore", ResourceWarning)

    def serve(self, **more):
        d = self.daemon(**more).start()
        self.addCleanup(lambda: d.process and d.stop())
        return d

    def connect(self, d, **more):
        c = apspd.connect("http://" + d.addresses[0], **more)
        self.addCleanup(c.close)
        return c
