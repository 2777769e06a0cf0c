"""Text, Markdown, HTML, CSV and JSON come out as they are read by a person."""

import codecs

import pytest

from builtin_plugins.repo.extraction import Outcome
from builtin_plugins.repo.extraction.reading.task import Full, Transcript
from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture

GREETING = "Grüße, Žluťoučký kůň — 日本"


@pytest.mark.parametrize(
    "encoded",
    [
        GREETING.encode(),
        codecs.BOM_UTF8 + GREETING.encode(),
        GREETING.encode("utf-16"),
        codecs.BOM_UTF16_BE + GREETING.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + GREETING.encode("utf-32-le"),
        codecs.BOM_UTF32_BE + GREETING.encode("utf-32-be"),
    ],
)
async def test_every_unicode_encoding_gives_the_same_text(extracted, encoded):
    answer = await extracted(encoded, "text/plain", "a.txt")
    assert (answer.outcome, answer.text, answer.kind) == (Outcome.TEXT, GREETING, "text")
    assert not answer.partial


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
async def test_utf_16_is_known_without_a_mark(extracted, codec):
    answer = await extracted("A plain sentence – with a dash.".encode(codec), "text/plain", "a.txt")
    assert answer.text == "A plain sentence – with a dash."


async def test_what_is_no_unicode_is_read_as_windows_wrote_it(extracted):
    answer = await extracted("“Café” for 5 €".encode("cp1252"), "text/plain", "a.txt")
    assert answer.text == "“Café” for 5 €"


async def test_bytes_that_windows_never_wrote_do_not_stop_the_reading(extracted):
    answer = await extracted(b"caf\xe9 \x81 end", "text/plain", "a.txt")
    assert answer.text == "café � end"


async def test_a_declared_charset_is_used(extracted):
    answer = await extracted("Привет, мир".encode("koi8-r"), "text/plain; charset=KOI8-R", "a.txt")
    assert answer.text == "Привет, мир"


async def test_a_declared_charset_yields_to_valid_utf_8(extracted):
    answer = await extracted("Grüße".encode(), "text/plain; charset=iso-8859-2", "a.txt")
    assert answer.text == "Grüße"


@pytest.mark.parametrize(
    "charset", ["rot13", "zip", "punycode", "utf-7", "no-such", "unicode_escape", "../x"]
)
async def test_a_charset_that_is_no_charset_is_passed_over(extracted, charset):
    answer = await extracted(b"caf\xe9 +AGE-", f"text/plain; charset={charset}", "a.txt")
    assert answer.text == "café +AGE-"


async def test_text_comes_out_normalized(extracted):
    answer = await extracted(
        "e\u0301\r\nNo\u00a0break\rsoft\u00adhyphen \x07bell  \n\n\n\nlast\n".encode(), "text/plain", "a"
    )
    assert answer.text == "é\nNo break\nsofthyphen bell\n\nlast"


async def test_an_empty_file_is_a_text_without_words(extracted):
    answer = await extracted(b"", "text/plain", "a.txt")
    assert (answer.outcome, answer.text) == (Outcome.TEXT, "")


async def test_markdown_stays_as_written(extracted):
    answer = await extracted(b"# Head\n\n* one\n* two\n", "text/markdown", "a.md")
    assert (answer.text, answer.kind) == ("# Head\n\n* one\n* two", "markdown")


async def test_long_text_is_cut_at_a_letter_and_said_to_be_partial(extracted):
    answer = await extracted("é".encode() * 1000, "text/plain", "a.txt", text_bytes=101)
    assert (answer.text, answer.partial) == ("é" * 50, True)


async def test_text_that_just_fits_is_whole(extracted):
    answer = await extracted("é".encode() * 50, "text/plain", "a.txt", text_bytes=100)
    assert (answer.text, answer.partial) == ("é" * 50, False)


def test_reading_stops_with_what_there_is_when_most_of_its_time_is_spent():
    transcript = Transcript(100, patience_seconds=0)
    with pytest.raises(Full):
        transcript.write("words")
    assert (transcript.finished(), transcript.partial) == (b"words", True)


async def test_only_the_beginning_of_a_huge_file_is_looked_at(extracted):
    answer = await extracted("aé".encode() * 100, "text/plain", "a.txt", plain_bytes=101)
    assert (answer.text, answer.partial) == ("aé" * 33 + "a", True)


PAGE = """<!doctype html><html><head><title>The  title</title><style>p {color: red}</style>
<script>if (a < b) document.write("<p>scripted</p>")</script></head><body>
<h1>Heading</h1><p>One <b>bold</b>ly&nbsp;said &amp; done.<br>Next
line</p><div hidden>unseen <div>deeper</div> still</div><p hidden>optional ends hide nothing
<table><tr><th>Name<th>Age</tr><tr><td>Ann</td><td>41</td></tr></table>
<pre>a
  b</pre><img src=x alt="A cat"><template>not yet</template><!-- no --><input hidden>end</body></html>"""


async def test_a_page_gives_what_is_seen_of_it(extracted):
    answer = await extracted(PAGE.encode(), "text/html", "a.html")
    assert answer.text == (
        "The title\n\nHeading\n\nOne boldly said & done.\nNext line\noptional ends hide nothing\n"
        "Name\tAge\nAnn\t41\na\n  b\nA cat end"
    )
    assert answer.kind == "html"


async def test_a_page_names_its_own_charset(extracted):
    page = '<meta charset="windows-1251"><p>Привет</p>'.encode("cp1251")
    assert (await extracted(page, "text/html", "a.html")).text == "Привет"


async def test_a_page_that_breaks_off_gives_what_it_has(extracted):
    answer = await extracted(b"<p>begun <b>and <a href='", "text/html", "a.html")
    assert answer.text.startswith("begun and")


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
async def test_cells_are_separated_by_tabs_whatever_separated_them(extracted, mark):
    rows = [["Name", "Note"], ["Ann", '"two\nlines"'], ["Bob", '"says ""hi"""']]
    table = "\r\n".join(mark.join(row) for row in rows).encode()
    answer = await extracted(table, "text/csv", "a.csv")
    assert (answer.text, answer.kind) == ('Name\tNote\nAnn\ttwo lines\nBob\tsays "hi"', "csv")


async def test_a_table_with_a_cell_without_end_is_read_as_text(extracted):
    answer = await extracted(b'a,b\n"' + b"word " * 300_000, "text/csv", "a.csv")
    assert answer.text.startswith('a\tb\na,b\n"word word')


async def test_json_gives_names_and_values(extracted):
    content = (
        b'{"name": "Ann", "tags": ["x", "y"], "empty": [], "deep": {"n": 1e400, "yes": true}, "no": null}'
    )
    answer = await extracted(content, "application/json", "a.json")
    assert answer.text == "name: Ann\ntags\nx\ny\nempty\ndeep\nn: 1e400\nyes: true"
    assert answer.kind == "json"


async def test_json_numbers_of_any_length_and_half_letters_do_no_harm(extracted):
    digits = "7" * 10_000
    answer = await extracted(f'[{digits}, "\\ud800", "a\\u0000b"]'.encode(), "application/json", "a.json")
    assert answer.text == f"{digits}\n�\nab"


async def test_what_only_calls_itself_json_is_text(extracted):
    answer = await extracted(b'{"a": 1, // why\n}', "application/json", "a.json")
    assert (answer.outcome, answer.text) == (Outcome.TEXT, '{"a": 1, // why\n}')
