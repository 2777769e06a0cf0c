"""What several processes give out together: told, heard, and believed no more than it should be."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guildhall_testing.clock import FakeClock
from kernel.http.rates import API, shared_rates
from libs.rate_limits import RateLimiter


class Line:
    """Stands for the database: a channel whose words wait until they are carried over."""

    shared_by_processes = True
    listening = True

    def __init__(self):
        self.words = []
        self.heard = None
        self.pool = self

    def announcements(self, channel, heard):
        assert channel == "rates"
        self.heard = heard
        return self

    def notify(self, word=""):
        self.words.append(word)


def process(clock, per_minute=6000):
    """One server's rates, and the budgets of its API."""
    line = Line()
    rates = shared_rates(line, clock)
    return line, rates, rates.callers(API, per_minute)


def admitted(budgets, key, times):
    limiter = budgets.limiters["credential"]
    return sum(limiter.take(key) is None for _ in range(times))


def carry(sender, receivers):
    words, sender.words = sender.words, []
    for word in words:
        for line in receivers:
            line.heard(word)


def test_much_is_told_at_once_and_the_rest_at_the_second():
    line, rates, budgets = process(FakeClock())
    admitted(budgets, "tok_1", 124)
    assert line.words == []
    admitted(budgets, "tok_1", 1)
    assert line.words == ["0 api.credential tok_1=125"]
    admitted(budgets, "tok_1", 20)
    admitted(budgets, "tok_2", 19)
    rates.announce()
    assert line.words[1:] == ["1 api.credential tok_1=20"]
    admitted(budgets, "tok_2", 1)
    rates.announce()
    assert line.words[2:] == ["2 api.credential tok_2=20"]


def test_a_refused_call_is_not_told():
    line, rates, budgets = process(FakeClock(), 60)
    assert admitted(budgets, "tok_1", 50) == 10
    rates.announce()
    assert len(line.words) == 10


def test_what_another_process_gave_out_is_gone_here_too():
    clock = FakeClock()
    (first, _, here), (second, _, there) = process(clock), process(clock)
    assert admitted(here, "tok_1", 2000) == 1000
    carry(first, [second])
    assert admitted(there, "tok_1", 2000) == 0
    assert admitted(there, "tok_2", 2000) == 1000
    clock.advance(seconds=1)
    assert admitted(there, "tok_1", 2000) == 100


def test_what_was_had_beyond_the_budget_is_paid_back():
    clock = FakeClock()
    (first, _, here), (second, _, there) = process(clock), process(clock)
    assert admitted(here, "tok_1", 1000) + admitted(there, "tok_1", 1000) == 2000
    carry(first, [second])
    carry(second, [first])
    clock.advance(seconds=10)
    assert admitted(here, "tok_1", 1) + admitted(there, "tok_1", 1) == 0
    clock.advance(seconds=1)
    assert admitted(here, "tok_1", 1) == 1


@given(st.integers(2, 6), st.integers(60, 6000))
def test_a_caller_who_spreads_over_processes_gets_the_rate_of_one(processes, per_minute):
    """Asking all of them without end, with words that take a second, for a minute."""
    clock = FakeClock()
    crew = [process(clock, per_minute) for _ in range(processes)]
    total = 0
    for _ in range(60):
        for _, rates, budgets in crew:
            while budgets.limiters["credential"].take("tok_1") is None:
                total += 1
            rates.announce()
        for line, _, _ in crew:
            carry(line, [other for other, _, _ in crew if other is not line])
        clock.advance(seconds=1)
    burst = max(1, per_minute // 6)
    # Each has a burst to give before it hears of the others, and a little that is not worth a word.
    assert total <= per_minute + processes * (burst + max(1, burst // 50))


def test_words_that_come_at_once_leave_little_to_gain():
    clock = FakeClock()
    crew = [process(clock) for _ in range(4)]
    total = 0
    for _ in range(1000):
        for line, _, budgets in crew:
            total += admitted(budgets, "tok_1", 1)
            carry(line, [other for other, _, _ in crew if other is not line])
    assert 1000 <= total <= 1000 + 4 * 125


@pytest.mark.parametrize(
    "word",
    [
        None,
        "",
        " ",
        "0",
        "0 api.credential",
        "0 api.credential ",
        "0 api.credential tok_1",
        "0 api.credential tok_1=",
        "0 api.credential tok_1=-5",
        "0 api.credential tok_1=-1000000",
        "0 api.credential tok_1=0",
        "0 api.credential tok_1=1e9",
        "0 api.credential tok_1=1.5",
        "0 api.credential tok_1=١٢",
        "0 api.credential tok_1=" + "9" * 5000,
        "0 api.credential =5",
        "0 api.credential " + "x" * 65 + "=5",
        "0 nobody.credential tok_1=500",
        "0 api.nothing tok_1=500",
        "\x00 \x00 \x00=\x00",
    ],
)
def test_nonsense_changes_nothing(word):
    line, _, budgets = process(FakeClock())
    line.heard(word)
    assert admitted(budgets, "tok_1", 2000) == 1000
    assert len(budgets.limiters["credential"]) == 1


def test_no_word_stops_anybody_for_long():
    clock = FakeClock()
    line, _, budgets = process(clock)
    for _ in range(100):
        line.heard("0 api.credential tok_1=999999999")
    wait = budgets.limiters["credential"].wait("tok_1")
    assert wait <= 61
    clock.advance(milliseconds=int(wait * 1000) + 1)
    assert admitted(budgets, "tok_1", 1) == 1


def test_words_are_bounded_in_length_and_in_number():
    line, rates, budgets = process(FakeClock(), 60)
    limiter = budgets.limiters["credential"]
    limiter._large = 10**6  # nothing is told before the second
    for number in range(5000):
        limiter.take(f"{number:064d}")
    rates.announce()
    assert len(line.words) == 25
    assert max(map(len, line.words)) < 7000
    rates.announce()
    rates.announce()
    told = {part.partition("=")[0] for word in line.words for part in word.split(" ")[2:]}
    assert len(told) == 5000


def test_no_word_is_like_another():
    """The line tells the same word once."""
    line, _, budgets = process(FakeClock())
    admitted(budgets, "tok_1", 1000)
    assert len(line.words) == len(set(line.words)) == 8


def test_what_nobody_can_hear_is_not_told_later():
    line, rates, budgets = process(FakeClock())
    line.listening = False
    admitted(budgets, "tok_1", 500)
    rates.announce()
    line.listening = True
    rates.announce()
    assert line.words == []


def test_nobody_is_told_where_there_is_one_process():
    line = Line()
    line.shared_by_processes = False
    rates = shared_rates(line, FakeClock())
    budgets = rates.callers(API, 6000)
    admitted(budgets, "tok_1", 1000)
    rates.announce()
    assert line.words == []


def test_idle_callers_of_other_processes_are_forgotten():
    clock = FakeClock()
    limiter = RateLimiter(6000, 1000, clock, notify=lambda spent: None)
    for number in range(5000):
        limiter.receive(f"caller {number}", 5)
    assert len(limiter) == 5000
    clock.advance(seconds=70)
    limiter.take("ada")
    clock.advance(seconds=70)
    limiter.take("ada")
    assert len(limiter) <= 2


counts = st.lists(st.tuples(st.integers(0, 3000), st.integers(-5, 2000)), max_size=60)


@given(counts)
def test_whatever_is_heard_the_wait_that_is_told_is_enough(heard):
    clock = FakeClock()
    limiter = RateLimiter(600, 100, clock, notify=lambda spent: None)
    for pause, count in heard:
        clock.advance(milliseconds=pause)
        limiter.receive("ada", count)
        wait = limiter.wait("ada")
        assert wait is None or 0 < wait <= 60.1
    wait = limiter.take("ada")
    if wait is not None:
        clock.advance(milliseconds=int(wait * 1000) + 1)
        assert limiter.take("ada") is None


def test_a_clock_set_back_locks_nobody_out_for_longer_than_a_minute():
    clock = FakeClock()
    limiter = RateLimiter(60, 10, clock, notify=lambda spent: None)
    for _ in range(10):
        limiter.take("ada")
    waits = []
    for back in (30, 300):
        clock.jump(seconds=-back)
        waits.append(limiter.wait("ada") or 0)
    assert waits[0] <= 61 and waits[1] == 0
    assert all(earlier >= later for earlier, later in pairwise(waits))
