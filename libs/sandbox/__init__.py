"""Confinement: a process limits itself to computing over the descriptors that it holds.

`bind` sets the limits at the start, `confine` closes the rest once every module is imported. Neither needs a
privilege. Standard library only, and cheap to import: a child loads this package alone, by the command that
`launch.confined_command` builds. What really holds on a machine is found by `measure`.
"""

from libs.sandbox.closing import InForce, confine
from libs.sandbox.limits import Bounds, bind
from libs.sandbox.seccomp import Unconfined

__all__ = ["Bounds", "InForce", "Unconfined", "bind", "confine"]
