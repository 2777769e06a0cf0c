"""Quotas: nested company above team, exact under any number of callers and processes."""

from kernel.quota.lapses import sweep
from kernel.quota.ledger import Ledger

__all__ = ["Ledger", "sweep"]
