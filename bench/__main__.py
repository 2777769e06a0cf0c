"""Runs the subjects named on the command line, or all, and prints one table.

`against REVISION` compares what is checked out with another revision of it instead.
"""

import argparse
import importlib
import pkgutil
import signal
import sys
import time
from functools import partial
from typing import Protocol

from bench import against, subjects
from bench.report import Report
from bench.servers import BenchFailed


class Subject(Protocol):
    NAME: str

    def run(self, report: Report) -> None: ...


def main() -> int:
    works = {name: subject.run for name, subject in subjects_by_name().items()}
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("subject", nargs="*", help=f"one of {', '.join(works)}; without any, all of them")
    asked = parser.parse_args().subject or list(works)
    if asked[0] == against.NAME:
        if len(asked) != 2:
            parser.error("against takes one revision, as in `python -m bench against HEAD~1`")
        works = {asked.pop(0): partial(against.run, revision=asked.pop())}
        asked = list(works)
    if unknown := sorted(set(asked) - set(works)):
        parser.error(f"there is no subject {', '.join(unknown)}; known are {', '.join(works)}")
    # A plain kill unwinds like an exit does, so that no server outlives the bench.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    report = Report()
    failed = False
    for name in asked:
        started = time.monotonic()
        print(f"measuring {name} …", file=sys.stderr, end=" ", flush=True)
        try:
            works[name](report)
        except BenchFailed as failure:
            failed = True
            print(f"failed: {failure}", file=sys.stderr)
        else:
            print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    print(report.table())
    return int(failed)


def subjects_by_name() -> dict[str, Subject]:
    modules = (importlib.import_module(f"{subjects.__name__}.{m.name}") for m in _module_infos())
    return {module.NAME: module for module in modules}


def _module_infos() -> list[pkgutil.ModuleInfo]:
    return sorted(pkgutil.iter_modules(subjects.__path__), key=lambda module: module.name)


if __name__ == "__main__":
    sys.exit(main())
