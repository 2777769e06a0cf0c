"""Tests made from the rows alone: what every route must do, whoever wrote it."""

from kernel.testing.conformance.cases import ConformanceCase, cases_for, kinds
from kernel.testing.conformance.failure import ConformanceFailure

__all__ = ["ConformanceCase", "ConformanceFailure", "cases_for", "kinds"]
