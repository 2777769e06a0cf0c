"""The help of a command, its numbers, and the codes that it ends with."""

import argparse
import subprocess
import sys

import pytest

from libs.command_line import Parser, entry, exit_code_of, number_of


class Refused(Exception):
    pass


def raising(error):
    def run():
        raise error

    return run


def test_an_action_is_described_by_its_line_at_any_depth_unless_it_says_more():
    parser = Parser(prog="tool")
    outer = parser.add_subparsers()
    told = outer.add_parser("told", help="a line", description="Much more.")
    plain = outer.add_parser("plain", help="do this")
    inner = plain.add_subparsers().add_parser("inner", help="do that")
    silent = outer.add_parser("silent")
    found = [one.description for one in (told, plain, inner, silent)]
    assert found == ["Much more.", "Do this.", "Do that.", None]


def test_more_help_is_asked_for_with_the_help_alone():
    asked = []

    def more():
        asked.append(1)
        yield "further:"

    parser = Parser(prog="tool")
    parser.more_help = more
    inner = parser.add_subparsers().add_parser("inner")
    parser.parse_args(["inner"])
    assert "further:" not in inner.format_help()
    assert asked == []
    assert parser.format_help().endswith("\n\nfurther:\n")


@pytest.mark.parametrize("given", ["0", "65", "-1", "two", ""])
def test_a_number_out_of_its_bounds_is_refused_in_words(given):
    parse = number_of("processes", 1, 64)
    assert parse("64") == 64
    with pytest.raises(argparse.ArgumentTypeError, match=r"^takes a number of processes, 1 to 64$"):
        parse(given)


def test_a_refusal_is_one_line_and_other_errors_are_the_callers(capsys):
    assert exit_code_of(lambda: 3, "tool", Refused) == 3
    assert exit_code_of(raising(Refused("no such file")), "tool", Refused) == 2
    assert capsys.readouterr().err == "tool: no such file\n"
    assert exit_code_of(raising(KeyboardInterrupt()), "tool", Refused) == 130
    with pytest.raises(LookupError):
        exit_code_of(raising(LookupError()), "tool", Refused)


def test_output_that_nobody_reads_ends_a_command_without_a_word():
    code = (
        "import sys\n"
        "from libs.command_line import exit_code_of\n"
        "sys.exit(exit_code_of(lambda: print('line\\n' * 100_000) or 0, 'tool', LookupError))\n"
    )
    piped = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    piped.stdout.close()
    assert (piped.stderr.read(), piped.wait()) == (b"", 141)
    piped.stderr.close()


def test_an_entry_is_a_name_and_indented_lines():
    name, *lines = entry("NAME", "word " * 60)
    assert name == "  NAME"
    assert len(lines) > 1
    assert all(line.startswith("      word") and len(line) <= 110 for line in lines)
