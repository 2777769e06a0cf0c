"""`guildhall serve --workers` where the plugin that runs several processes is not loaded."""

from tests import commands
from tests.processes import free_port


def test_several_processes_without_the_plugin_that_runs_them_are_refused_in_one_line(tmp_path):
    environ = commands.bare_environment(
        SERVICE_DATA=str(tmp_path / "data"),
        SERVICE_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none",
        SERVICE_BIND=f"127.0.0.1:{free_port()}",
        SERVICE_PLUGINS_BLOCKED="processes",
    )
    done = commands.run(environ, ["serve", "--workers", "2"])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "guildhall: no plugin that is loaded offers ProcessSupervisor, which this command needs: "
        "`guildhall plugin list` says which ones are out\n"
    )
