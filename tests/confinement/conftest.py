"""A server on a machine whose kernel has neither seccomp nor Landlock."""

import os

import pytest

from libs.sandbox.tests.blind import python_without_seccomp


@pytest.fixture
def without_seccomp(tmp_path):
    """`without_seccomp("-m", "kernel.cli", "doctor", SERVICE_DEMO="on")`: Python on such a machine."""

    def run(*arguments, **settings):
        environ = {name: value for name, value in os.environ.items() if not name.startswith("SERVICE_")}
        environ |= {"SERVICE_DATA": str(tmp_path / "data"), **settings}
        return python_without_seccomp(*arguments, env=environ)

    return run
