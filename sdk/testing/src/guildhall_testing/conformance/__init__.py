"""Tests made from the rows alone: what every route must do, whoever wrote it."""

from guildhall_testing.conformance.cases import ConformanceCase, cases_for, kinds
from guildhall_testing.conformance.failure import ConformanceFailure

__all__ = ["ConformanceCase", "ConformanceFailure", "cases_for", "kinds"]
