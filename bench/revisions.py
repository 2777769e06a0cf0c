"""A revision of this repository, installed beside the dependencies that are here: `git archive` and pip."""

import subprocess
import sysconfig
import venv
from pathlib import Path

from bench.servers import ROOT, BenchFailed

# What the shell lets everybody import would stand before a revision's own.
APART = {"PYTHONPATH": ""}


def working_revision() -> str:
    """What is checked out, with what has changed in the files that git knows."""
    return _git("stash", "create").strip() or "HEAD"


def install(revision: str, folder: Path) -> Path:
    """Its `guildhall`, in an environment of its own that borrows every dependency from ours.

    Nothing is downloaded: a revision that stands on something which is no longer installed does not start.
    """
    tree = folder / "tree"
    tree.mkdir(parents=True)
    commit = _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").strip()
    archive = folder / "tree.tar"
    _git("archive", "--output", str(archive), commit)
    _run("tar", "-xf", str(archive), "-C", str(tree))
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    theirs = Path(_run(str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    (theirs / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [str(python), "-m", "pip", "install", "-qq", "--no-deps", "--no-build-isolation", "--no-index"]
    _run(*pip, str(tree / "sdk"), "--editable", str(tree))
    return python.with_name("guildhall")


def _git(*arguments: str) -> str:
    try:
        return _run("git", "-C", str(ROOT), *arguments)
    except BenchFailed as failure:
        raise BenchFailed(f"git {arguments[0]} of {arguments[-1]} failed: {failure}") from None


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise BenchFailed(
            f"{Path(command[0]).name} ended with {done.returncode}: {done.stderr.strip()[-500:]}"
        )
    return done.stdout
