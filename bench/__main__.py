"""Runs the subjects named on the command line, or all, and prints one table.

The name of a subject is that of its parts as well: `jobs` runs `jobs.start` too. Instead of subjects,
`against REVISION` compares what is checked out with another revision of it, and `costs` tells where the CPU
of a request goes.
"""

import argparse
import importlib
import pkgutil
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from bench import against, costs, subjects
from bench.machine import is_quiet
from bench.published import publish_costs, publish_figures
from bench.report import Report
from bench.servers import BenchFailed


class Subject(Protocol):
    NAME: str

    def run(self, report: Report) -> None: ...


def main() -> int:
    works = {name: subject.run for name, subject in subjects_by_name().items()}
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("subject", nargs="*", help=f"one of {', '.join(works)}; without any, all of them")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="write what was found into this page, too")
    arguments = parser.parse_args()
    asked: list[str] = arguments.subject
    # A plain kill unwinds like an exit does, so that no server outlives the bench.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    match asked:
        case [against.NAME, revision]:
            works, asked = {against.NAME: partial(against.run, revision=revision)}, []
        case [against.NAME, *_]:
            parser.error("against takes one revision, as in `python -m bench against HEAD~1`")
        case [costs.NAME]:
            return _tell_costs(arguments.into)
    chosen, unknown = selected(asked, list(works))
    if unknown:
        parser.error(f"there is no subject {', '.join(unknown)}; known are {', '.join(works)}")
    report = Report()
    failed = _run({name: works[name] for name in chosen}, report, arguments.into)
    print(report.table())
    return int(failed)


def subjects_by_name() -> dict[str, Subject]:
    modules = (importlib.import_module(f"{subjects.__name__}.{m.name}") for m in _module_infos())
    return {module.NAME: module for module in modules}


def selected(asked: Sequence[str], known: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns those of the known subjects that are asked for, and what is asked for and is none."""
    if not asked:
        return list(known), []
    unknown = [one for one in asked if not any(_is_part(name, one) for name in known)]
    return [name for name in known if any(_is_part(name, one) for one in asked)], unknown


def _is_part(name: str, whole: str) -> bool:
    return name == whole or name.startswith(f"{whole}.")


def _run(works: Mapping[str, Callable[[Report], None]], report: Report, page: Path | None) -> bool:
    """Writes into the page after each subject; returns whether any could not be measured."""
    failed = False
    for name, work in works.items():
        started = time.monotonic()
        report.disturbed = not is_quiet()
        print(f"measuring {name} …", file=sys.stderr, end=" ", flush=True)
        try:
            work(report)
        except BenchFailed as failure:
            failed = True
            print(f"failed: {failure}", file=sys.stderr)
        else:
            print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
        if page is not None:
            publish_figures(page, [one for one in report.comparisons if one.subject == name])
    return failed


def _tell_costs(page: Path | None) -> int:
    try:
        tables = costs.run()
    except BenchFailed as failure:
        print(f"failed: {failure}", file=sys.stderr)
        return 1
    print(tables)
    if page is not None:
        publish_costs(page, tables)
    return 0


def _module_infos() -> list[pkgutil.ModuleInfo]:
    return sorted(pkgutil.iter_modules(subjects.__path__), key=lambda module: module.name)


if __name__ == "__main__":
    sys.exit(main())
