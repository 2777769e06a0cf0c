"""PDF: the title, then the pages."""

import io

import pypdf
import pytest

from builtin_plugins.repo.extraction import Outcome
from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture


async def test_pages_come_one_after_the_other_under_the_title(extracted, pdf):
    answer = await extracted(
        pdf("Page one", "Zweite Seite über Öl", title="The Title"), "application/pdf", "a.pdf"
    )
    assert answer.text == "The Title\n\nPage one\n\nZweite Seite über Öl"
    assert (answer.kind, answer.partial) == ("pdf", False)


async def test_the_index_learns_where_pages_end(extracted, pdf):
    answer = await extracted(pdf("one", "", "three"), "application/pdf", "a.pdf", marks=True)
    assert answer.text == "one\f\n\n\fthree"


async def test_too_many_pages_give_the_first_of_them(extracted, pdf):
    answer = await extracted(pdf(*("abcde")), "application/pdf", "a.pdf", pages=2)
    assert (answer.text, answer.partial) == ("a\n\nb", True)


async def test_a_page_that_cannot_be_read_does_not_take_the_others_along(extracted, pdf_of, stream):
    def page(contents, kid):
        return (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources"
            b" << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>" % contents
        )

    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>",
        page(5, 3),
        page(6, 4),
        stream(b"garbage", b"/Filter /NoSuchFilter"),
        stream(b"BT /F1 12 Tf 72 720 Td (readable) Tj ET"),
    ]
    answer = await extracted(pdf_of(objects), "application/pdf", "a.pdf")
    assert (answer.outcome, answer.text, answer.partial) == (Outcome.TEXT, "readable", True)


@pytest.fixture
def locked(pdf):
    """A PDF that a password was set on."""

    def build(password):
        writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf("secret words")))
        writer.encrypt(user_password=password, owner_password="owner", algorithm="AES-256")
        buffer = io.BytesIO()
        writer.write(buffer)
        return buffer.getvalue()

    return build


async def test_a_pdf_behind_a_password_is_refused(extracted, locked):
    answer = await extracted(locked("hidden"), "application/pdf", "a.pdf")
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "is locked by a password")


async def test_a_pdf_that_is_only_kept_from_editing_is_read(extracted, locked):
    assert (await extracted(locked(""), "application/pdf", "a.pdf")).text == "secret words"


@pytest.mark.parametrize("cut", [20, 200, 400])
async def test_a_pdf_that_is_cut_off_is_refused(extracted, pdf, cut):
    answer = await extracted(pdf("words")[:cut], "application/pdf", "a.pdf")
    assert answer.outcome is Outcome.REFUSED


async def test_a_pdf_of_pictures_is_a_text_without_words(extracted, pdf):
    answer = await extracted(pdf(""), "application/pdf", "a.pdf")
    assert (answer.outcome, answer.text) == (Outcome.TEXT, "")
