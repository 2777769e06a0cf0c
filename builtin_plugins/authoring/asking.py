"""Questions in a terminal."""

import sys

from guildhall_sdk.errors import OperatorError


def is_somebody_there() -> bool:
    return sys.stdin.isatty()


def asked(question: str) -> bool:
    """Asks until the answer is yes or no; nothing is no."""
    while True:
        answer = _line(f"{question} [y/N] ").lower()
        if answer in {"y", "yes"}:
            return True
        if answer in {"", "n", "no"}:
            return False
        sys.stdout.write("Please answer y or n.\n")


def asked_for_text(question: str) -> str:
    while not (answer := _line(f"{question} ")):
        pass
    return answer


def _line(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except EOFError:
        raise OperatorError("nobody answered; say all by flags, and --yes") from None
