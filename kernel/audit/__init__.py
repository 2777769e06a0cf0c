"""The audit trail: who did what, chained so that no event can be changed or left out unseen."""

from kernel.audit.anchor_file import AnchorFile
from kernel.audit.anchoring import Anchoring, read_heads
from kernel.audit.anchors import Anchored, AnchorSource, read_anchors
from kernel.audit.chain_walk import Fault
from kernel.audit.checkpointing import Checkpointing
from kernel.audit.floors import Floors
from kernel.audit.partitions import keep_ahead, make_ahead
from kernel.audit.trail import INSTANCE_CHAIN, Trail
from kernel.audit.verification import LAST_CHECKPOINT, Verdict, verify

__all__ = [
    "INSTANCE_CHAIN",
    "LAST_CHECKPOINT",
    "AnchorFile",
    "AnchorSource",
    "Anchored",
    "Anchoring",
    "Checkpointing",
    "Fault",
    "Floors",
    "Trail",
    "Verdict",
    "keep_ahead",
    "make_ahead",
    "read_anchors",
    "read_heads",
    "verify",
]
