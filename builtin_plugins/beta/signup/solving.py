"""Solving a challenge in Python, for the samples of the conformance tests; browsers have their own."""

import hashlib
from collections.abc import Mapping
from itertools import count
from typing import Any


def solve(challenge: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the challenge with a solution, after about two to the power of its difficulty tries."""
    beginning, shift = hashlib.sha256(f"{challenge['nonce']}:".encode()), 256 - challenge["difficulty"]
    zeros = bytes(challenge["difficulty"] // 8)
    for number in count():
        tried = beginning.copy()
        tried.update(b"%d" % number)
        digest = tried.digest()
        if digest.startswith(zeros) and not int.from_bytes(digest, "big") >> shift:
            return {**challenge, "solution": str(number)}
    raise AssertionError("there is always another number")
