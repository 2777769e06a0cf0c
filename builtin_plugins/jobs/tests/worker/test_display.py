"""What the worker shows, whatever it is told."""

import io

import pytest

from builtin_plugins.jobs.worker.display import AboveLine, LiveLine, PlainLines, one_line


def test_plain_lines_carry_the_time(clock):
    stream = io.StringIO()
    shown = PlainLines(stream, clock)
    shown.event("claimed job_1")
    shown.now("not here")
    assert stream.getvalue() == "2030-01-01T09:00:00.000Z claimed job_1\n"


@pytest.mark.parametrize("hostile", ["a\nb", "a\r\x1b[2Jb", "a\u202eb", "a\ud800b", "a\x07b"])
def test_no_text_leaves_its_line_or_commands_the_terminal(hostile):
    shown = one_line(hostile)
    assert shown in {"a b", "a�b", "a �[2Jb"}


def test_a_text_is_bounded_and_holds_no_token():
    assert len(one_line("x" * 10_000)) == 501
    assert one_line("sent ghw_canary") == "sent ghw_[redacted]"


def test_the_live_line_fits_the_terminal_and_stays_last():
    stream = io.StringIO()
    live = LiveLine(stream, width=10)
    live.now("a line that is too long")
    live.event("news")
    assert stream.getvalue().endswith("\r\x1b[Knews\na line t…")


def test_a_log_line_goes_above_the_live_line():
    stream, log = io.StringIO(), io.StringIO()
    live = LiveLine(stream, width=80)
    live.now("working")
    AboveLine(live, log).write("{}\n")
    assert log.getvalue() == "{}\n"
    assert stream.getvalue() == "\r\x1b[Kworking\r\x1b[Kworking"
