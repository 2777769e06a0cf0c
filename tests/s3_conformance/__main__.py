"""Runs Ceph's s3-tests against a hall: `python -m tests.s3_conformance CHECKOUT [--every]`.

What should pass is what docs/s3-conformance.md names as passing. With `--every`, what it names as applying
but not passing is run too, and the page is wrong if any of it passes.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.guildhall import PASSWORD, found
from bench.servers import Server, free_port, plain_environment, running

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "s3-conformance.md"
PYTHON = ROOT / ".venv" / "s3-tests" / "bin" / "python"
COMMAND = [str(Path(sys.executable).with_name("guildhall")), "serve"]
_FILES = ("test_s3.py", "test_headers.py")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.s3_conformance")
    parser.add_argument("checkout", type=Path, help="of github.com/ceph/s3-tests")
    parser.add_argument("--every", action="store_true", help="also what applies and does not pass")
    options = parser.parse_args()
    if not (options.checkout / "s3tests" / "functional").is_dir():
        parser.error(f"{options.checkout} is no checkout of s3-tests")
    page = PAGE.read_text("utf-8")
    expected = named(page, "Passing")
    wanted = expected | named(page, "Applying, not passing") if options.every else expected
    passed = run(options.checkout.resolve(), wanted)
    for name in sorted(expected - passed):
        sys.stdout.write(f"should pass, and does not: {name}\n")
    for name in sorted(passed - expected):
        sys.stdout.write(f"passes, and the page says that it does not: {name}\n")
    sys.stdout.write(f"{len(passed & expected)} of {len(expected)} pass\n")
    return passed != expected


def named(page: str, heading: str) -> set[str]:
    """The tests under a heading of the page."""
    section = page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"\btest_\w+(?:\[[^\]]+\])?", section))


def run(checkout: Path, names: set[str]) -> set[str]:
    """Those that pass, of these; in a hall of their own."""
    functional = checkout / "s3tests" / "functional"
    where = {name: source for source in _FILES for name in _tests_in(functional / source)}
    if unknown := {name for name in names if name.partition("[")[0] not in where}:
        sys.stdout.write(f"not in this checkout: {' '.join(sorted(unknown))}\n")
    chosen = [
        f"s3tests/functional/{where[name.partition('[')[0]]}::{name}" for name in sorted(names - unknown)
    ]
    with tempfile.TemporaryDirectory(prefix="s3-tests-") as folder, hall(Path(folder)) as environment:
        report = Path(folder) / "report.xml"
        command = [PYTHON, "-m", "pytest", "-q", "--tb=line", "-p", "teams_for_buckets"]
        quiet = ["-p", "no:cacheprovider", "-W", "ignore", f"--junit-xml={report}"]
        subprocess.run([*command, *quiet, *chosen], cwd=checkout, env=environment, check=False)
        cases = ElementTree.parse(report).iter("testcase")
        return {case.get("name", "") for case in cases if not len(case)}


def _tests_in(source: Path) -> set[str]:
    return set(re.findall(r"^def (test_\w+)", source.read_text("utf-8"), re.MULTILINE))


@contextmanager
def hall(folder: Path) -> Iterator[dict[str, str]]:
    """A server as people run it, two people of two companies, and how the tests are told of them."""
    port, s3_port = free_port(), free_port()
    settings = {
        "SERVICE_DATA": str(folder / "data"),
        "SERVICE_BIND": f"127.0.0.1:{port}",
        "SERVICE_S3_BIND": f"127.0.0.1:{s3_port}",
        "SERVICE_RATE_LIMIT": "0",
        "SERVICE_S3_RATE_LIMIT": "0",
    }
    with running(COMMAND, port, "/health", folder, {**plain_environment(), **settings}) as server:
        yield {
            **plain_environment(),
            "PYTHONPATH": str(Path(__file__).parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "AWS_DEFAULT_REGION": "us-east-1",
            "GUILDHALL_URL": f"http://127.0.0.1:{port}",
            "GUILDHALL_S3_URL": f"http://127.0.0.1:{s3_port}",
            "GUILDHALL_DATABASE": str(folder / "data" / "guildhall.db"),
            "GUILDHALL_TOKENS": ",".join(_tokens(server)),
            "S3TEST_CONF": str(folder / "s3-tests.conf"),
        }


def _tokens(server: Server) -> tuple[str, str]:
    founder = found(server)
    owner = {"username": "grace", "password": PASSWORD}
    other = server.ask("POST", "/api/orgs", {"name": "Another", "owner": owner}, founder.token)
    return founder.token, other["token"]


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
