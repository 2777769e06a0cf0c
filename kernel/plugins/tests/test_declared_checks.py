"""What plugins declare with declare_checks: rows of `guildhall doctor`, which runs where no server would."""

import pytest

from kernel import __version__

pytestmark = pytest.mark.hall_databases("sqlite")

CHECK = """
from guildhall_sdk.commands import HealthCheck
from guildhall_sdk.errors import OperatorError

async def spring(host):
    {then}

@hookimpl
def declare_checks():
    return [HealthCheck(name="spring", order=45, run=spring)]
"""


@pytest.fixture
def toy(folder, tmp_path):
    """A directory plugin with the check `spring`; what it does."""
    folder.path = tmp_path
    return lambda then: folder.write("toy", CHECK.replace("{then}", then))


def rows(output):
    return [line[:11].strip() for line in output.splitlines() if line[0] != " "]


def test_a_check_is_a_row_of_doctor_in_its_order(guildhall, toy):
    toy("return f'wound up by {host.settings.version}'")
    _, output, _ = guildhall("doctor")
    assert f"spring      wound up by {__version__}\n" in output
    assert rows(output)[3:6] == ["disk", "spring", "database"]


def test_a_check_that_fails_is_a_row_and_the_exit_code(guildhall, toy):
    toy("raise OperatorError('the spring is broken; wind it up')")
    code, output, _ = guildhall("doctor")
    assert code == 1 and "spring      the spring is broken; wind it up\n" in output


def test_doctor_and_secrets_run_where_a_plugin_that_the_server_needs_is_broken(guildhall, folder, tmp_path):
    folder.path = tmp_path
    folder.write("needed", "raise RuntimeError('sold out')", essential=True)
    why = "the plugin needed cannot be loaded and the server needs it: RuntimeError: sold out"
    code, output, errors = guildhall("doctor", SERVICE_TOY_SPEED="9")
    assert (code, errors) == (1, "")
    assert rows(output)[:5] == ["settings", "plugins", "secret key", "disk", "database"]
    assert f"settings    {why}" in output and f"plugins     {why}" in output
    code, _, errors = guildhall("secrets", "rotate")
    assert code == 2 and "secret.key: cannot be used as the secret key" in errors
    for words in (("audit", "verify"), ("stocktaking",)):
        code, output, errors = guildhall(*words)
        assert (code, output) == (2, "") and errors.startswith(f"guildhall: {why}")
