"""A process closes itself: it can compute over the descriptors that it holds, and nothing else.

`bind` sets the limits at the start, `confine` closes the rest once every module is imported. Neither needs
a privilege. Standard library only, and cheap to import: a child loads this package alone, by the command that
`launch.confined_command` builds. What really holds on a machine is found by `measure`.
"""

from guildhall_sdk.confinement.closing import InForce, confine
from guildhall_sdk.confinement.limits import Bounds, bind
from guildhall_sdk.confinement.seccomp import Unconfined

__all__ = ["Bounds", "InForce", "Unconfined", "bind", "confine"]
