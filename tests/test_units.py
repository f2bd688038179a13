"""What `meson install` puts in place, whether systemd accepts the units, and how much of
the machine it finds exposed to the service.
tests/systemd/boot.sh runs them."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ["APSP_BUILD_ROOT"]
SOURCE = os.environ["APSP_SOURCE_ROOT"]


def only(root, pattern):
    found = glob.glob(os.path.join(root, "**", pattern), recursive=True)
    assert len(found) == 1, f"{pattern}: {found}"
    return found[0]


def verify(units):
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no",
         *(os.path.join(units, name) for name in (
             "apspd.service", "apspd.socket", "apspd-replica@1.service"))],
        capture_output=True, text=True)
    # it also complains of the machine's own units: only ours count
    ours = [line for line in done.stderr.splitlines()
            if "apspd" in line or "50-gpu" in line or "60-mpi" in line]
    return ours, done.returncode


def asked_groups(generator):
    """The groups that the installed generator asks for."""
    with tempfile.TemporaryDirectory() as top:
        subprocess.run([generator, top, top, top], check=True)
        drop_ins = glob.glob(os.path.join(top, "apspd.service.d", "*.conf"))
        text = "".join(open(path, encoding="ascii").read() for path in drop_ins)
    return text.removeprefix("[Service]\nSupplementaryGroups=").split()


def edit(path, old, new):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    assert old in text, f"{old} is not in {path}"
    with open(path, "w", encoding="utf-8") as f:
        f.write(text.replace(old, new))


# What `systemd-analyze security` may find without drop-ins, and with all of them. What
# is left is listed in systemd/README.md.
EXPOSED_MOST, EXPOSED_MOST_OPENED = 1.2, 1.6


def exposure(service):
    """Of a unit with the drop-ins beside it."""
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", service],
        capture_output=True, text=True)
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    return float(found[1])


def check_exposure(units):
    service = os.path.join(units, "apspd.service")
    assert exposure(service) <= EXPOSED_MOST_OPENED, exposure(service)
    drop_ins = os.path.join(units, "apspd.service.d")
    os.rename(drop_ins, drop_ins + ".away")
    try:
        assert exposure(service) <= EXPOSED_MOST, exposure(service)
        # the check itself must be able to fail
        copy = os.path.join(units, "open.service")
        with open(service, encoding="utf-8") as walls, \
                open(copy, "w", encoding="utf-8") as out:
            out.writelines(line for line in walls if not line.startswith("SystemCallFilter="))
        assert exposure(copy) > EXPOSED_MOST, exposure(copy)
        os.remove(copy)
    finally:
        os.rename(drop_ins + ".away", drop_ins)


def check_replica(units, apspd):
    """The example of a replica has the walls of the service, except for the network."""
    copy = os.path.join(units, "apspd-replica@.service")
    shutil.copy(os.path.join(SOURCE, "systemd/apspd-replica@.service"), copy)

    def walls(path):
        with open(path, encoding="utf-8") as f:
            text = f.read().split("\nUMask=")[1]
        return {line for line in text.split("\n[Install]")[0].splitlines()
                if re.match("[A-Z]", line) and not line.startswith("Environment")}
    service = walls(os.path.join(units, "apspd.service"))
    assert walls(copy) - service == {"RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6"}
    assert service - walls(copy) == {"RestrictAddressFamilies=AF_UNIX", "PrivateNetwork=yes"}
    edit(copy, "ExecStart=/usr/bin/apspd", "ExecStart=" + apspd)


def denied_calls(program, units):
    """The calls of @resources that a program imports and that these units do not allow again."""
    done = [subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            for command in (("nm", "-D", "--undefined-only", program),
                            ("systemd-analyze", "syscall-filter", "@resources"))]
    imported, denied = ({word.split("@")[0] for word in words if word[0] != "@"}
                        for words in done)
    allowed = {"setrlimit"}  # glibc calls prlimit64
    for unit in units:
        with open(unit, encoding="utf-8") as f:
            for line in re.findall("^SystemCallFilter=([^~].*)$", f.read(), re.M):
                allowed.update(line.split())
    return imported & denied - allowed


def check_calls(units, drop_ins, *programs):
    """The filter of the service allows the calls of the programs; the drop-ins are needed."""
    service = os.path.join(units, "apspd.service")
    paths = [os.path.join(units, "apspd.service.d", name) for name in drop_ins]
    for program in programs:
        denied = denied_calls(program, [service, *paths])
        assert not denied, (program, denied)
        assert not paths or denied_calls(program, [service]), paths


def check_mpi(root, units):
    """The drop-in for Open MPI is installed with its solver, and only with it."""
    found = glob.glob(os.path.join(root, "**", "apspd/apsp-solve-mpi"), recursive=True)
    assert bool(found) == os.path.exists(os.path.join(units, "apspd.service.d/60-mpi.conf"))
    check_calls(units, ["60-mpi.conf"], *found)


def check_properties(service):
    """systemd-run --check of systemd/README.md and of checks.sh has the service's properties."""
    with open(service, encoding="utf-8") as f:
        own = {line.strip() for line in f if re.match(
            "DynamicUser|StateDirectory|CacheDirectory|EnvironmentFile", line)}
    own.add("User=apspd")  # which the service has by its name
    with open(os.path.join(SOURCE, "systemd/README.md"), encoding="utf-8") as f:
        command = re.search(r"systemd-run (?:.*\\\n)*.* apspd --check\n", f.read())[0]
    assert set(re.findall(r"-p (\S+)", command)) == own, command
    with open(os.path.join(SOURCE, "tests/systemd/checks.sh"), encoding="utf-8") as f:
        unit = re.search(r"Type=oneshot (?:.*\\\n)*?.*ExecStart", f.read())[0]
    assert set(re.findall(r"\S+=\S+", unit)) - {"Type=oneshot"} == own, unit


def main():
    with tempfile.TemporaryDirectory() as top:
        root = os.path.join(top, "root")
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet",
                        "--destdir", root], check=True, stdout=subprocess.DEVNULL)
        apspd = only(root, "bin/apspd")
        solver = only(root, "apspd/apsp-solve")
        assert os.access(apspd, os.X_OK) and os.access(solver, os.X_OK)
        service = only(root, "systemd/system/apspd.service")
        only(root, "systemd/system/apspd.socket")
        only(root, "man/man8/apspd.8")
        only(root, "man/man8/apsp-solve.8")
        only(root, "apspd.service.d/50-gpu.conf")
        groups = asked_groups(only(root, "system-generators/apspd-gpu-groups"))
        with open("/etc/group", encoding="utf-8") as lines:
            names = {line.split(":")[0] for line in lines}
        assert set(groups) == names & {"video", "render"}, groups

        # verify wants the program to exist: point a copy at the one just installed
        check_properties(service)
        units = os.path.join(top, "units")
        shutil.copytree(os.path.dirname(service), units)
        copy = os.path.join(units, "apspd.service")
        edit(copy, "ExecStart=" + apspd[len(root):], "ExecStart=" + apspd)
        check_exposure(units)
        check_calls(units, [], apspd, solver)
        check_mpi(root, units)
        check_replica(units, apspd)
        ours, status = verify(units)
        assert not ours and status == 0, (status, ours)

        # the check itself must be able to fail
        edit(copy, "KillMode=mixed", "KillMode=nonsense")
        assert verify(units)[0], "a wrong unit was accepted"


if not shutil.which("systemd-analyze"):
    print("systemd-analyze is not installed")
    sys.exit(77)
main()
