"""What the subjects of a run found: a table of ratios, and how many aims are met."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from bench.rounds import Ratio, ratio

#: Stands behind a ratio that was measured while others used the machine.
DISTURBED = "*"
HEADING = ("subject", "what", "against", "ratio", "aim", "", "19 in 20")


@dataclass(frozen=True, slots=True)
class Aim:
    """The ratio to reach: at most `limit`, or below it where `strictly`."""

    limit: float
    strictly: bool = False

    def met_by(self, value: float) -> bool:
        return value < self.limit if self.strictly else value <= self.limit

    def __str__(self) -> str:
        return f"{'<' if self.strictly else '≤'} {self.limit:.2f}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One line of the table: how much more or less ours takes than what it is held against."""

    subject: str
    what: str
    against: str
    ratio: Ratio
    aim: Aim | None = None
    #: Whether others used the machine when its subject began.
    disturbed: bool = False

    @property
    def found(self) -> float:
        """The ratio as it is printed: nobody should read "1.00, aim ≤ 1.00, missed"."""
        return round(self.ratio.middle, 2)

    @property
    def verdict(self) -> str:
        if self.aim is None:
            return ""
        return "met" if self.aim.met_by(self.found) else "MISSED"

    @property
    def percent_over(self) -> int:
        """By how much the aim is missed."""
        return 0 if self.aim is None else round(100 * (self.found / self.aim.limit - 1))

    def cells(self) -> tuple[str, ...]:
        spread = f"{self.ratio.low:.2f}–{self.ratio.high:.2f}"
        aim = "—" if self.aim is None else str(self.aim)
        found = f"{self.found:.2f}{DISTURBED if self.disturbed else ''}"
        return (self.subject, self.what, self.against, found, aim, self.verdict, spread)


@dataclass(slots=True)
class Report:
    """Collects what the subjects found."""

    #: Whether others use the machine now; whoever runs the subjects says so before each.
    disturbed: bool = False
    comparisons: list[Comparison] = field(default_factory=list)
    _readings: list[tuple[str, ...]] = field(default_factory=list)

    def compare(
        self,
        subject: str,
        what: str,
        ours: Sequence[float],
        against: str,
        theirs: Sequence[float],
        aim: Aim | None = None,
    ) -> Ratio:
        """One line: `what` over `against`, from two series taken in the same rounds."""
        found = Comparison(subject, what, against, ratio(ours, theirs), aim, self.disturbed)
        self.comparisons.append(found)
        return found.ratio

    def reading(self, subject: str, what: str, values: Sequence[float], unit: str) -> None:
        """An absolute figure for the reader at the terminal, true of this machine at this minute."""
        self._readings.append((subject, what, f"{median(values):.1f} {unit}"))

    def table(self) -> str:
        parts = [_aligned([HEADING, *(one.cells() for one in self.comparisons)])]
        if any(one.disturbed for one in self.comparisons):
            parts.append(f"{DISTURBED} beside other work")
        if self._readings:
            parts += [
                "",
                "Behind the ratios, true of this machine at this minute only:",
                _aligned(self._readings),
            ]
        return "\n".join([*parts, "", self.verdict()])

    def verdict(self) -> str:
        """Returns one line: how many aims are met and missed, and by how much, the worst first."""
        with_aim = [one for one in self.comparisons if one.aim is not None]
        missed = sorted((one for one in with_aim if one.verdict != "met"), key=lambda one: -one.percent_over)
        line = f"Aims: {len(with_aim) - len(missed)} met, {len(missed)} missed"
        by_how_much = "; ".join(
            f"{one.subject}, {one.what} against {one.against}: {one.found:.2f}, {one.percent_over} % over"
            for one in missed
        )
        return f"{line}: {by_how_much}" if missed else line


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
