"""What the beta funnel costs."""

from bench.challenges import compare_verification
from bench.report import Report

NAME = "beta"
ROUNDS, REPEATS = 25, 5_000


def run(report: Report) -> None:
    compare_verification(report, NAME, ROUNDS, REPEATS)
