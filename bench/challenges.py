"""What verifying a solved challenge costs, against the two hashes that nobody can do without."""

import hashlib
import hmac
import time
from collections.abc import Callable

from bench.report import Aim, Report
from bench.rounds import take_turns
from builtin_plugins.beta.signup.challenge import check_challenge, make_challenge, solve

BARE = "one HMAC and one SHA-256"
_KEY = bytes(range(32))
_NOW_MS = 1_900_000_000_000


def compare_verification(report: Report, subject: str, rounds: int, repeats: int) -> None:
    """Fills the lines about verifying a challenge."""
    solved = solve(make_challenge(_KEY, 16, _NOW_MS))
    signed = f"1|{solved['nonce']}|{solved['difficulty']}|{solved['expires_at']}".encode()
    worked = f"{solved['nonce']}:{solved['solution']}".encode()

    def verify() -> None:
        check_challenge(_KEY, solved, _NOW_MS)

    def hash_twice() -> None:
        hmac.digest(_KEY, signed, "sha256")
        hashlib.sha256(worked).digest()

    ours, what = "ours", "verifying a challenge, CPU"
    readings = take_turns(
        {ours: lambda: _cpu_us(verify, repeats), BARE: lambda: _cpu_us(hash_twice, repeats)}, rounds
    )
    report.compare(subject, what, readings[ours], BARE, readings[BARE], Aim(3.0))
    for name in (ours, BARE):
        report.reading(subject, f"{what}, {name}", readings[name], "µs")


def _cpu_us(work: Callable[[], None], repeats: int) -> float:
    before = time.process_time()
    for _ in range(repeats):
        work()
    return (time.process_time() - before) / repeats * 1e6
