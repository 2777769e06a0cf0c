"""What stands in a page of the docs and was written there by the bench, by nobody's hand."""

from collections.abc import Sequence
from pathlib import Path

from bench.machine import described_machine
from bench.report import DISTURBED, HEADING, Comparison
from bench.servers import BenchFailed

_BEGIN, _END = "<!-- bench {}: begin -->", "<!-- bench {}: end -->"
_RULE = "|".join(["", *("---" for _ in HEADING), ""])
_FOOTNOTE = f"`{DISTURBED}`: measured while others used the machine."


def publish_figures(page: Path, comparisons: Sequence[Comparison]) -> None:
    """Puts the rows in the place of those of their subjects; those of another machine go altogether."""
    machine = f"Measured on {described_machine()}."
    published = _part(page, "figures")
    measured = {one.subject for one in comparisons}
    kept = [row for row in _rows(published) if machine in published and _subject(row) not in measured]
    rows = sorted([*kept, *(_row(one.cells()) for one in comparisons)], key=_subject)
    _put(page, "figures", "\n".join([f"{machine} {_FOOTNOTE}", "", _row(HEADING), _RULE, *rows]))


def publish_costs(page: Path, tables: str) -> None:
    _put(page, "costs", tables)


def _part(page: Path, name: str) -> str:
    text = page.read_text("utf-8")
    _, begin, rest = text.partition(_BEGIN.format(name))
    part, end, _ = rest.partition(_END.format(name))
    if not begin or not end:
        raise BenchFailed(f"{page} has no place for what is written there: {_BEGIN.format(name)}")
    return part


def _put(page: Path, name: str, text: str) -> None:
    begin, before = _BEGIN.format(name), _part(page, name)
    page.write_text(page.read_text("utf-8").replace(f"{begin}{before}", f"{begin}\n{text}\n"), "utf-8")


def _rows(table: str) -> list[str]:
    """Returns the rows below the heading."""
    return [line for line in table.splitlines() if line.startswith("|")][2:]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _subject(row: str) -> str:
    return row.split("|")[1].strip()
