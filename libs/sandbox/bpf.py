"""The filter program that the operating system runs before each system call, from a list of allowed calls."""

import struct
from collections.abc import Sequence
from typing import NamedTuple

from libs.sandbox.syscalls import Architecture

ALLOW, KILL_PROCESS = 0x7FFF0000, 0x80000000
EPERM, ENOSYS = 0x00050001, 0x00050026
_LOAD, _JUMP_EQUAL, _JUMP_BITS, _AND, _RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


class Allowed(NamedTuple):
    """A call that is allowed; with `argument`, only for its `values`, or as its bits say.

    It has none of `without_bits`, the one of `with_bit`, or not all of `never_together`. The lower 32 bits of
    the argument are judged: those that the kernel takes of a descriptor, a protection or an advice.
    """

    call: str
    argument: int | None = None
    values: tuple[int, ...] = ()
    without_bits: int = 0
    with_bit: int = 0
    never_together: int = 0


def assemble(architecture: Architecture, allowed: Sequence[Allowed], hidden: Sequence[str]) -> bytes:
    """Builds a filter that lets the `allowed` calls through, and refuses every other with EPERM.

    A `hidden` call is refused with ENOSYS, as if the system did not have it. A call of another architecture
    or ABI ends the process.
    """
    program = _instruction(_LOAD, _ARCHITECTURE)
    program += _instruction(_JUMP_EQUAL, architecture.audit, 1, 0) + _return(KILL_PROCESS)
    program += _instruction(_LOAD, _NUMBER)
    if architecture.second_abi is not None:
        program += _instruction(_JUMP_BITS, architecture.second_abi, 0, 1) + _return(KILL_PROCESS)
    for rule in allowed:
        program += _when(architecture.number(rule.call), _verdict(rule))
    for call in hidden:
        program += _when(architecture.number(call), _return(ENOSYS))
    return program + _return(EPERM)


def _when(number: int | None, verdict: bytes) -> bytes:
    """Compares the number and runs the verdict, which always returns: so the number stays loaded."""
    if number is None:
        return b""
    return _instruction(_JUMP_EQUAL, number, 0, len(verdict) // 8) + verdict


def _verdict(rule: Allowed) -> bytes:
    if rule.argument is None:
        return _return(ALLOW)
    loaded = _instruction(_LOAD, _ARGUMENTS + 8 * rule.argument)
    if rule.without_bits:
        return loaded + _instruction(_JUMP_BITS, rule.without_bits, 1, 0) + _return(ALLOW) + _return(EPERM)
    if rule.with_bit:
        return loaded + _instruction(_JUMP_BITS, rule.with_bit, 0, 1) + _return(ALLOW) + _return(EPERM)
    if rule.never_together:
        both = _instruction(_AND, rule.never_together) + _instruction(_JUMP_EQUAL, rule.never_together, 1, 0)
        return loaded + both + _return(ALLOW) + _return(EPERM)
    last = len(rule.values)
    compared = [_instruction(_JUMP_EQUAL, value, last - place, 0) for place, value in enumerate(rule.values)]
    return loaded + b"".join(compared) + _return(EPERM) + _return(ALLOW)


def _return(verdict: int) -> bytes:
    return _instruction(_RETURN, verdict)


def _instruction(code: int, operand: int, when_true: int = 0, when_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, when_true, when_false, operand)
