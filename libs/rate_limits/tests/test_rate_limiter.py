"""Rate limits: how much is let through, what is told to wait, and what is forgotten."""

import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.rate_limits import RateLimiter


class FakeClock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self._now_ms = 1_700_000_000_000

    def now_ms(self):
        return self._now_ms

    def advance(self, **time):
        self._now_ms += int(timedelta(**time) / timedelta(milliseconds=1))


@pytest.fixture
def clock():
    return FakeClock()


def admitted(limiter, key, times):
    return sum(limiter.take(key) is None for _ in range(times))


def test_a_burst_is_admitted_and_no_more(clock):
    limiter = RateLimiter(60, 10, clock)
    assert admitted(limiter, "ada", 25) == 10


def test_the_wait_is_told_and_is_enough(clock):
    limiter = RateLimiter(60, 10, clock)
    admitted(limiter, "ada", 10)
    wait = limiter.take("ada")
    assert wait == pytest.approx(1.0)
    clock.advance(milliseconds=int(wait * 1000) - 1)
    assert limiter.take("ada") == pytest.approx(0.001)
    clock.advance(milliseconds=1)
    assert limiter.take("ada") is None
    assert limiter.take("ada") == pytest.approx(1.0)


def test_callers_have_budgets_of_their_own(clock):
    limiter = RateLimiter(60, 2, clock)
    assert admitted(limiter, "ada", 5) == admitted(limiter, "grace", 5) == 2


def test_a_refused_call_costs_nothing(clock):
    limiter = RateLimiter(60, 1, clock)
    assert limiter.take("ada") is None
    assert admitted(limiter, "ada", 1000) == 0
    clock.advance(seconds=1)
    assert limiter.take("ada") is None


def test_a_rest_gives_the_burst_back_and_never_more(clock):
    limiter = RateLimiter(60, 10, clock)
    admitted(limiter, "ada", 10)
    clock.advance(days=3)
    assert admitted(limiter, "ada", 100) == 10


def test_a_rate_of_zero_is_off(clock):
    limiter = RateLimiter(0, 0, clock)
    assert admitted(limiter, "ada", 1000) == 1000
    assert len(limiter) == 0


def test_a_clock_set_back_locks_nobody_out(clock):
    limiter = RateLimiter(60, 10, clock)
    admitted(limiter, "ada", 10)
    clock.advance(days=-1)
    assert admitted(limiter, "ada", 20) == 10
    clock.advance(seconds=1)
    assert admitted(limiter, "ada", 20) == 1


def test_idle_callers_are_forgotten(clock):
    limiter = RateLimiter(6000, 1000, clock)
    for number in range(5000):
        limiter.take(f"caller {number}")
    assert len(limiter) == 5000
    clock.advance(seconds=10)
    limiter.take("ada")
    clock.advance(seconds=10)
    limiter.take("ada")
    assert len(limiter) <= 2


def test_a_caller_who_stays_is_not_forgotten(clock):
    """Whoever is in the middle of a burst is known across the turn of a generation."""
    limiter = RateLimiter(60, 10, clock)
    clock.advance(seconds=9)
    assert admitted(limiter, "ada", 10) == 10
    clock.advance(seconds=1)
    limiter.take("somebody else")
    assert admitted(limiter, "ada", 10) == 1


def test_a_flood_of_callers_is_held_in_bounds(clock):
    limiter = RateLimiter(60, 10, clock, max_keys=100)
    for number in range(10_000):
        limiter.take(f"caller {number}")
    assert len(limiter) <= 200


# A busy machine is no fault of ours.


steps = st.lists(st.tuples(st.integers(0, 4000), st.sampled_from("abc")), max_size=300)


@given(st.integers(1, 5000), st.integers(1, 60), steps)
def test_never_more_than_the_burst_and_the_rate_over_time(per_minute, burst, calls):
    clock = FakeClock()
    limiter = RateLimiter(per_minute, burst, clock)
    history: dict[str, list[int]] = {}
    for pause, key in calls:
        clock.advance(milliseconds=pause)
        if limiter.take(key) is None:
            history.setdefault(key, []).append(clock.now_ms())
    for times in history.values():
        for first in range(len(times)):
            for last in range(first, len(times)):
                allowed = burst + (times[last] - times[first]) * per_minute / 60_000
                assert last - first + 1 <= allowed + 1e-9


@given(st.integers(1, 5000), st.integers(1, 60), steps)
def test_whoever_waits_as_told_is_admitted(per_minute, burst, calls):
    clock = FakeClock()
    limiter = RateLimiter(per_minute, burst, clock)
    for pause, key in calls:
        clock.advance(milliseconds=pause)
        wait = limiter.take(key)
        if wait is not None:
            assert wait > 0
            clock.advance(milliseconds=math.ceil(wait * 1000))
            assert limiter.take(key) is None


@given(st.integers(1, 60_000), st.integers(1, 60), st.integers(1, 200))
def test_a_steady_caller_within_the_rate_is_never_refused(per_minute, burst, calls):
    clock = FakeClock()
    limiter = RateLimiter(per_minute, burst, clock)
    for _ in range(calls):
        assert limiter.take("steady") is None
        clock.advance(milliseconds=math.ceil(60_000 / per_minute))


def test_what_a_key_has_left_is_told_without_taking_anything(clock):
    limiter = RateLimiter(60, 10, clock)
    assert limiter.standing("a") == (10, 10, 10, 0)
    limiter.take("a", 4)
    assert limiter.standing("a") == limiter.standing("a") == (10, 10, 6, 4)
    clock.advance(seconds=3)
    assert limiter.standing("a") == (10, 10, 9, 1)
    assert RateLimiter(0, 10, clock).standing("a") is None
