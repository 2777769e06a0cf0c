"""Proof of work: a signed challenge that takes a browser a moment and a robot the same moment every time.

Nothing is stored when one is given out. The signature covers all that was given, so that nobody lowers the
difficulty or puts off the end; the nonce is stored with the sign-up that it paid for.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from itertools import count
from typing import Any, NamedTuple

from guildhall_sdk import UserError, rfc3339
from guildhall_sdk.errors import json_pointer

ALGORITHM = "sha-256"
LIFETIME_MS = 10 * 60 * 1000
MAX_SOLUTION = 128
PURPOSE = "beta.challenge"

_GIVEN = ("nonce", "difficulty", "expires_at", "signature", "solution")
_KNOWN = frozenset({*_GIVEN, "algorithm"})
# RFC 3339 with milliseconds and Z is as long as this for the next eight thousand years.
_TIME_LENGTH = 24


class ChallengeInvalid(UserError):
    """Raised for a challenge that is wrong, forged, expired, not solved or used before."""

    code = "challenge_invalid"
    title = "The challenge does not hold"


class SolvedChallenge(NamedTuple):
    """A challenge that was given out here, is still good and was solved; whether it was used is not known."""

    nonce: str
    difficulty: int
    expires_at: str


def make_challenge(key: bytes, difficulty: int, now_ms: int) -> dict[str, Any]:
    """Makes a challenge that can be used until ten minutes from now."""
    nonce, expires_at = secrets.token_hex(16), rfc3339(now_ms + LIFETIME_MS)
    return {
        "algorithm": ALGORITHM,
        "nonce": nonce,
        "difficulty": difficulty,
        "expires_at": expires_at,
        "signature": _sign(key, nonce, difficulty, expires_at),
    }


def check_challenge(key: bytes, given: Any, now_ms: int) -> SolvedChallenge:
    """Checks a solved challenge, cheapest first: shape, signature, end, work; raises `ChallengeInvalid`."""
    try:
        nonce, difficulty, expires_at = given["nonce"], given["difficulty"], given["expires_at"]
        signature, solution = given["signature"], given["solution"]
    except (KeyError, TypeError, IndexError):
        raise _malformed(given) from None
    if not (
        type(nonce) is type(expires_at) is type(signature) is str
        and type(difficulty) is int
        and len(nonce) == 32
        and len(expires_at) == _TIME_LENGTH
        and len(signature) == 64
        and len(given) == 5 + ("algorithm" in given)
        and signature.isascii()
    ):
        raise _malformed(given)
    # The signature is over the text as it was given out: nothing that was changed gets past here.
    if not hmac.compare_digest(_sign(key, nonce, difficulty, expires_at), signature):
        raise ChallengeInvalid("This challenge was not given out here, or was changed; ask for a new one.")
    if given.get("algorithm", ALGORITHM) != ALGORITHM:
        raise ChallengeInvalid(f"The algorithm is {ALGORITHM}; leave it out, or send it as it was given.")
    # Both texts are of one length and in UTC: they sort as the times do.
    if expires_at <= rfc3339(now_ms):
        raise ChallengeInvalid("This challenge has expired; ask for a new one.")
    if type(solution) is int:
        solution = str(solution)
    if type(solution) is not str or not 0 < len(solution) <= MAX_SOLUTION:
        raise ChallengeInvalid(
            f"/challenge/solution: must be a text of 1 to {MAX_SOLUTION} characters",
            errors=[{"pointer": "/challenge/solution", "message": "must be a text"}],
        )
    digest = hashlib.sha256(f"{nonce}:{solution}".encode()).digest()
    if int.from_bytes(digest[:4], "big") >> (32 - difficulty):
        raise ChallengeInvalid(
            f"This solution does not solve the challenge: SHA-256 of `nonce:solution` must start with "
            f"{difficulty} zero bits."
        )
    return SolvedChallenge(nonce, difficulty, expires_at)


def _sign(key: bytes, nonce: str, difficulty: int, expires_at: str) -> str:
    return hmac.digest(key, f"1|{nonce}|{difficulty}|{expires_at}".encode(), "sha256").hex()


def _malformed(given: Any) -> ChallengeInvalid:
    """Names what is missing, wrong or unknown."""
    if not isinstance(given, Mapping):
        return _at("/challenge", "must be the object that the challenge was given as, with its solution")
    for name in sorted(set(given) - _KNOWN):
        return _at(json_pointer("challenge", name), "is not known here")
    for name in _GIVEN:
        if name not in given:
            return _at(f"/challenge/{name}", "is missing")
    return _at("/challenge", "must be as it was given: nonce, difficulty, expires_at and signature")


def _at(pointer: str, message: str) -> ChallengeInvalid:
    return ChallengeInvalid(f"{pointer}: {message}", errors=[{"pointer": pointer, "message": message}])


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
