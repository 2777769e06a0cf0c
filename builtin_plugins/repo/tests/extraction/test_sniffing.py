"""The bytes win over the type and the name; the type decides what is worth asking."""

import pytest

from builtin_plugins.repo.extraction import Outcome, supported
from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture

OFFICE = "application/vnd.openxmlformats-officedocument"


@pytest.mark.parametrize(
    ("content_type", "filename"),
    [
        ("text/plain", "a.bin"),
        ("text/markdown; charset=utf-8", "a"),
        ("TEXT/HTML", "a"),
        ("text/csv", "a"),
        ("text/x-python", "a.py"),
        ("application/json", "a"),
        ("application/ld+json", "a"),
        ("application/pdf", "a"),
        (f"{OFFICE}.wordprocessingml.document", "a"),
        (f"{OFFICE}.spreadsheetml.sheet", "a"),
        (f"{OFFICE}.presentationml.presentation", "a"),
        ("application/octet-stream", "REPORT.PDF"),
        ("binary/octet-stream", "README"),
        ("", "notes.md"),
        ("application/zip", "a.docx"),
        ("application/vnd.ms-excel", "table.csv"),
    ],
)
def test_these_are_worth_asking(content_type, filename):
    assert supported(content_type, filename)


@pytest.mark.parametrize(
    ("content_type", "filename"),
    [
        ("image/png", "a.png"),
        ("image/png", "a.txt"),
        ("image/svg+xml", "a.svg"),
        ("video/mp4", "a.pdf"),
        ("application/zip", "a.zip"),
        ("application/zip", "a"),
        ("application/msword", "a.doc"),
        ("application/octet-stream", "a.exe"),
        ("text/rtf", "a.rtf"),
        ("nonsense", "a"),
    ],
)
async def test_these_are_not_and_no_child_is_started_for_them(extracted, content_type, filename, monkeypatch):
    async def never(*_, **__):
        raise AssertionError("a child was started")

    monkeypatch.setattr("asyncio.create_subprocess_exec", never)
    assert not supported(content_type, filename)
    answer = await extracted(b"text", content_type, filename)
    assert (answer.outcome, answer.text) == (Outcome.UNSUPPORTED, None)
    assert answer.reason == "is of a kind that no text is read from"


async def test_a_pdf_under_another_name_is_a_pdf(extracted, pdf):
    answer = await extracted(pdf("Page"), "text/plain", "a.txt")
    assert (answer.text, answer.kind) == ("Page", "pdf")


async def test_one_office_file_under_the_name_of_another_is_what_it_is(extracted, xlsx):
    answer = await extracted(xlsx({"Sheet": ""}), f"{OFFICE}.wordprocessingml.document", "a.docx")
    assert (answer.text, answer.kind) == ("Sheet", "xlsx")


async def test_text_under_the_name_of_a_pdf_is_text(extracted):
    answer = await extracted(b"Just words about %PDF- files", "text/plain", "a.pdf")
    assert (answer.text, answer.kind) == ("Just words about %PDF- files", "text")
    answer = await extracted(b"Just words", "application/pdf", "a.pdf")
    assert (answer.text, answer.kind) == ("Just words", "text")


async def test_a_page_under_the_name_of_a_workbook_is_a_page(extracted):
    answer = await extracted(b"<html><td>1<td>2</html>", f"{OFFICE}.spreadsheetml.sheet", "a.xlsx")
    assert (answer.text, answer.kind) == ("1\t2", "html")


async def test_the_source_of_a_page_that_is_declared_as_text_stays_source(extracted):
    answer = await extracted(b"<!doctype html><p>hi", "text/plain", "a.txt")
    assert (answer.text, answer.kind) == ("<!doctype html><p>hi", "text")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "holds binary data, not text"),
        (bytes(range(1, 256)) * 4, "holds binary data, not text"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512),
            "is an Office file of the old format, or one behind a password",
        ),
        (rb"{\rtf1\ansi hello}", "is RTF, which is not read"),
    ],
)
async def test_what_only_calls_itself_text_is_not_supported(extracted, content, reason):
    answer = await extracted(content, "text/plain", "a.txt")
    assert (answer.outcome, answer.reason) == (Outcome.UNSUPPORTED, reason)


async def test_a_zip_archive_is_no_office_file(extracted, package):
    answer = await extracted(package({"a.txt": "hello"}), "application/octet-stream", "a.docx")
    assert answer.outcome is Outcome.UNSUPPORTED
    assert answer.reason == "is a zip archive, not one of the Office files that are read"
