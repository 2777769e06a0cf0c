"""The table that a run prints. Nothing of it is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from bench.rounds import Ratio, ratio


@dataclass(frozen=True, slots=True)
class Aim:
    """The ratio to reach: at most `limit`, or below it where `strictly`."""

    limit: float
    strictly: bool = False

    def met_by(self, value: float) -> bool:
        return value < self.limit if self.strictly else value <= self.limit

    def __str__(self) -> str:
        return f"{'<' if self.strictly else '≤'} {self.limit:.2f}"


@dataclass(slots=True)
class Report:
    """Collects what the subjects found."""

    _ratios: list[tuple[str, ...]] = field(default_factory=list)
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
        found = ratio(ours, theirs)
        # Judged as it is printed: nobody should read "1.00, aim ≤ 1.00, missed".
        verdict = "" if aim is None else "met" if aim.met_by(round(found.middle, 2)) else "MISSED"
        self._ratios.append(
            (
                *(subject, what, against, f"{found.middle:.2f}", str(aim or "—"), verdict),
                f"{found.low:.2f}–{found.high:.2f}",
            )
        )
        return found

    def reading(self, subject: str, what: str, values: Sequence[float], unit: str) -> None:
        """An absolute figure for the reader at the terminal, true of this machine at this minute."""
        self._readings.append((subject, what, f"{median(values):.1f} {unit}"))

    def table(self) -> str:
        heading = ("subject", "what", "against", "ratio", "aim", "", "19 in 20")
        parts = [_aligned([heading, *self._ratios])]
        if self._readings:
            parts += [
                "",
                "Behind the ratios, true of this machine at this minute only:",
                _aligned(self._readings),
            ]
        return "\n".join(parts)


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
