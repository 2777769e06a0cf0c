"""A child has the environment of its entry alone, and does not outlive the server."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

LAUNCHER = str(Path(__file__).parents[1] / "launcher.py")
PARENT = """
import os, subprocess, sys
child = subprocess.Popen(
    [sys.executable, "-I", "-S", "-B", sys.argv[1], str(os.getpid()), "1", "PATH", "sleep", "600"],
    start_new_session=True,
)
print(child.pid, flush=True)
child.wait()
"""


def test_a_child_that_does_not_read_its_input_is_gone_when_the_server_is_killed():
    with subprocess.Popen([sys.executable, "-c", PARENT, LAUNCHER], stdout=subprocess.PIPE) as parent:
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
    assert select.select([child], [], [], 30)[0], "the child still runs"
    os.close(child)


def test_a_command_gets_the_variables_that_it_is_given_and_no_other():
    command = [sys.executable, "-I", "-S", "-B", LAUNCHER, str(os.getpid()), "2", "OWN", "PATH", "env"]
    found = subprocess.run(command, env={"OWN": "1", "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    assert sorted(found.stdout.split()) == ["OWN=1", "PATH=/usr/bin:/bin"]


def test_a_command_that_is_not_there_is_said():
    command = [sys.executable, "-I", "-S", "-B", LAUNCHER, str(os.getpid()), "0", "no-such-command"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (127, "cannot be started: No such file or directory\n")
