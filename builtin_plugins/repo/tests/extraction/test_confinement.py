"""What the child cannot do once its doors are closed, whatever a document makes of it."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from builtin_plugins.repo import extraction

PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
from reading.confinement import bound, close_doors
from reading.limits import Limits
import ctypes, json, os, resource, signal, socket
parents_death = ctypes.c_int(0)
bound(Limits(memory_bytes=200 << 20, cpu_seconds=7, wall_seconds=9), os.getppid())
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(2, ctypes.byref(parents_death))
close_doors()
def outcome(deed):
    try:
        deed()
    except Exception as error:
        return type(error).__name__
    return "done"
folder, port, parent = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
deeds = {
    "read": lambda: open(folder + "/there").read(),
    "list": lambda: os.listdir(folder),
    "write": lambda: open(folder + "/new", "w"),
    "import": lambda: __import__("wave"),
    "connect": lambda: socket.create_connection(("127.0.0.1", port), 1),
    "pipe": os.pipe,
    "allocate": lambda: bytearray(300 << 20),
    "raise limits": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99)) if os.getuid() else 1 / 0,
    "delete": lambda: os.unlink(folder + "/there"),
    "rename": lambda: os.rename(folder + "/there", folder + "/gone"),
    "make a folder": lambda: os.mkdir(folder + "/folder"),
    "signal": lambda: os.kill(parent, 0),
    "execute": lambda: os.execv("/bin/true", ["true"]),
}
names = ("AS", "CPU", "FSIZE", "CORE")
limits = {name: resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names}
said = {name: outcome(deed) for name, deed in deeds.items()}
alarm = signal.getitimer(signal.ITIMER_REAL)[0]
print(json.dumps({"deeds": said, "limits": limits, "alarm": alarm, "parents_death": parents_death.value}))
"""
# These need a file number, or are rlimits: they hold on every system.
EVERYWHERE = ("read", "list", "write", "import", "connect", "pipe", "allocate", "raise limits")
BY_LANDLOCK = ("delete", "rename", "make a folder", "execute")


def landlock_version():
    """As the kernel says it; 0 where there is none."""
    import ctypes

    version = ctypes.CDLL(None).syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), ctypes.c_uint(1))
    return max(0, version) if sys.platform == "linux" else 0


@pytest.fixture(scope="module")
def probed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("folder")
    (folder / "there").write_text("a secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        said = subprocess.run(
            [
                *(sys.executable, "-I", "-c", PROBE, str(Path(extraction.__file__).parent)),
                *(str(folder), str(server.getsockname()[1]), str(os.getpid())),
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
            check=True,
        )
    return json.loads(said.stdout) | {"left": sorted(path.name for path in folder.iterdir())}


@pytest.mark.parametrize("deed", EVERYWHERE)
def test_a_closed_child_cannot(probed, deed):
    assert probed["deeds"][deed] != "done"


@pytest.mark.skipif(landlock_version() < 1, reason="this kernel has no Landlock")
@pytest.mark.parametrize("deed", BY_LANDLOCK)
def test_a_closed_child_cannot_where_the_kernel_has_landlock(probed, deed):
    assert probed["deeds"][deed] == "PermissionError"


@pytest.mark.skipif(landlock_version() < 6, reason="this kernel's Landlock does not know signals")
def test_a_closed_child_cannot_signal_the_server(probed):
    assert probed["deeds"]["signal"] == "PermissionError"


def test_a_module_that_is_not_loaded_is_missing_and_nothing_worse(probed):
    """Parsers are used to that: what they can do without, they do without."""
    assert probed["deeds"]["import"] == "ModuleNotFoundError"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent is gone")
def test_a_bound_child_is_killed_when_its_parent_dies(probed):
    assert probed["parents_death"] == signal.SIGKILL


def test_a_closed_child_has_changed_nothing(probed):
    assert probed["left"] == ["there"]


def test_a_bound_child_ends_by_itself(probed):
    assert probed["limits"] == {"AS": [200 << 20, 200 << 20], "CPU": [7, 8], "FSIZE": [0, 0], "CORE": [0, 0]}
    assert 0 < probed["alarm"] <= 9
