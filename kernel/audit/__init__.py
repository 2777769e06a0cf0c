"""The audit trail: who did what, chained so that no event can be changed or left out unseen."""

from kernel.audit.trail import INSTANCE_CHAIN, Trail
from kernel.audit.verification import Fault, Verdict, verify

__all__ = ["INSTANCE_CHAIN", "Fault", "Trail", "Verdict", "verify"]
