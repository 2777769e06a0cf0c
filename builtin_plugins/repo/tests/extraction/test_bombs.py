"""Documents made to hurt: each is refused with a word about why."""

import io
import struct
import unicodedata
import zipfile
import zlib

import pytest

from builtin_plugins.repo.extraction import Outcome

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PDF = "application/pdf"
DTD = "declares a document type in its XML, which an Office file never does"


@pytest.fixture
def refused(extracted):
    """`await refused(content, DOCX)`: the reason."""

    async def refuse(content, content_type, **limits):
        answer = await extracted(content, content_type, "document", **limits)
        assert (answer.outcome, answer.text) == (Outcome.REFUSED, None)
        return answer.reason

    return refuse


async def test_a_part_that_expands_a_thousand_times_is_refused_unopened(refused, docx):
    assert await refused(docx(" " * (20 << 20)), DOCX) == "is a package that expands more than 200 times"


async def test_parts_that_expand_to_too_much_together_are_refused(refused, pptx):
    """No one of them is large, and all of them are the same: the order of the show repeats it."""
    content = pptx([" " * (4 << 20)], order=[0] * 20)
    reason = await refused(content, DOCX, expanded_bytes=64 << 20)
    assert reason == "is a package that expands to more than 64 MiB"


async def test_a_part_that_lies_about_its_size_is_refused(refused, docx):
    content = docx(" " * (20 << 20))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = struct.pack("<I", archive.getinfo("word/document.xml").file_size)
    assert content.count(size) == 2
    lying = content.replace(size, struct.pack("<I", 1000))
    assert await refused(lying, DOCX) == "is malformed (BadZipFile)"


async def test_a_package_of_countless_parts_is_refused(refused, package):
    content = package({f"{number}": b"" for number in range(300)})
    assert await refused(content, DOCX, parts=200) == "is a package of more than 200 parts"


async def test_a_package_of_so_many_parts_that_their_list_fills_memory_is_refused(refused):
    entry = b"PK\1\2" + bytes(24) + struct.pack("<H", 8) + bytes(16)
    listing = b"".join(entry + b"%08d" % number for number in range(250_000))
    end = b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 0xFFFF, 0xFFFF, len(listing), 4, 0)
    reason = await refused(b"PK\3\4" + listing + end, DOCX, memory_bytes=96 << 20)
    assert reason == "takes more than 96 MiB of memory to read"


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
async def test_packing_that_office_does_not_know_is_refused(refused, docx, method):
    assert await refused(docx("", compression=method), DOCX) == (
        "is packed by a method that Office files do not use"
    )


async def test_a_package_behind_a_password_is_refused(refused, docx):
    content = bytearray(docx(""))
    # The flag of every entry, in the list at the end and in front of the entry itself.
    for mark, offset in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        place = -1
        while (place := content.find(mark, place + 1)) >= 0:
            content[place + offset] |= 1
    assert await refused(bytes(content), DOCX) == "is locked by a password"


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
DOCTYPES = {
    "billion laughs": f'<!DOCTYPE d [<!ENTITY l0 "lol">{LAUGHS}]>',
    "quadratic blow-up": f'<!DOCTYPE d [<!ENTITY l9 "{"x" * 100_000}">]>',
    "a file of the server": '<!DOCTYPE d [<!ENTITY l9 SYSTEM "file:///etc/passwd">]>',
    "a word from elsewhere": '<!DOCTYPE d SYSTEM "http://127.0.0.1:9/d.dtd">',
}


@pytest.mark.parametrize("doctype", DOCTYPES.values(), ids=DOCTYPES)
async def test_a_document_type_is_refused_with_all_that_it_could_declare(refused, docx, doctype):
    body = f"<w:p><w:r><w:t>{'&l9;' * 1000}</w:t></w:r></w:p>"
    assert await refused(docx(body, doctype=doctype), DOCX) == DTD


async def test_elements_without_end_within_each_other_are_refused(refused, docx):
    content = docx("<w:p>" * 200_000 + "</w:p>" * 200_000)
    assert await refused(content, DOCX) == "is nested deeper than 256 elements"


async def test_json_within_json_without_end_is_refused(refused):
    assert await refused(b"[" * 200_000, "application/json") == "is JSON that is nested too deeply"
    deep = b'{"a":' * 200_000 + b"1" + b"}" * 200_000
    assert await refused(deep, "application/json") == "is JSON that is nested too deeply"


async def test_a_page_within_a_page_without_end_is_only_a_page(extracted):
    answer = await extracted(b"<div>" * 50_000 + b"words", "text/html", "a.html")
    assert (answer.outcome, answer.text) == (Outcome.TEXT, "words")


async def test_a_sheet_of_too_many_rows_is_refused_packed(refused, xlsx):
    assert (
        await refused(xlsx({"S": "<row/>" * 4_000_000}), XLSX)
        == "is a package that expands more than 200 times"
    )


@pytest.mark.parametrize(
    ("limits", "rows", "limit"),
    [
        ({"rows": 1000}, 1100, "1,000"),
        pytest.param({}, 1_100_000, "1,048,576", marks=pytest.mark.long_form),
    ],
    ids=["few", "as many as a sheet has"],
)
async def test_a_sheet_of_too_many_rows_is_refused_unpacked(refused, xlsx, limits, rows, limit):
    content = xlsx({"S": "<row/>" * rows}, compression=zipfile.ZIP_STORED)
    assert await refused(content, XLSX, **limits) == f"has a sheet of more than {limit} rows"


async def test_one_long_string_in_countless_cells_is_cut_where_the_text_is_full(extracted, xlsx):
    row = "<row>" + '<c t="s"><v>0</v></c>' * 100_000 + "</row>"
    answer = await extracted(xlsx({"S": row}, [f"<t>{'x' * 1_000_000}</t>"]), XLSX, "a.xlsx")
    assert (answer.outcome, answer.partial, len(answer.text)) == (Outcome.TEXT, True, 2 << 20)


async def test_of_strings_without_measure_the_first_are_kept(extracted, xlsx):
    row = '<row><c t="s"><v>0</v></c><c t="s"><v>2</v></c></row>'
    shared = ["<t>kept</t>", f"<t>{'x' * (33 << 20)}</t>", "<t>lost</t>"]
    answer = await extracted(xlsx({"S": row}, shared, compression=zipfile.ZIP_STORED), XLSX, "a.xlsx")
    assert (answer.outcome, answer.text, answer.partial) == (Outcome.TEXT, "S\nkept", True)


CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources <<"
    b" /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> %s >> >>"
)


async def test_a_pdf_stream_that_expands_a_thousand_times_is_refused(refused, pdf_of, stream):
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(96)) + packer.flush()
    content = pdf_of([CATALOG, PAGES, PAGE % b"", stream(bomb, b"/Filter /FlateDecode")])
    assert await refused(content, PDF) == "is a PDF that unfolds to more than a document holds"


async def test_a_pdf_stream_packed_over_and_over_is_refused(refused, pdf_of, stream):
    bomb = bytes(96 << 20)
    for _ in range(3):
        bomb = zlib.compress(bomb, 9)
    filters = b"/Filter [" + b"/FlateDecode " * 3 + b"]"
    content = pdf_of([CATALOG, PAGES, PAGE % b"", stream(bomb, filters)])
    assert await refused(content, PDF) == "is a PDF that unfolds to more than a document holds"


async def test_pages_that_hold_each_other_are_refused(refused, pdf_of):
    circle = b"<< /Type /Pages /Count 9 /Kids [%d 0 R] /Parent %d 0 R >>"
    assert await refused(pdf_of([CATALOG, circle % (3, 3), circle % (2, 2)]), PDF)


async def test_a_drawing_that_draws_itself_comes_to_an_end(extracted, pdf_of, stream):
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 4 0 R >> >>"
    page = PAGE % b"/XObject << /F 4 0 R >>"
    drawn = stream(b"BT /F 9 Tf (words) Tj ET /F Do /F Do", form)
    answer = await extracted(pdf_of([CATALOG, PAGES, page, drawn]), PDF, "a.pdf")
    assert (answer.outcome, "words" in answer.text) == (Outcome.TEXT, True)


@pytest.mark.long_form
async def test_drawings_that_multiply_are_refused(refused, pdf_of, stream):
    def form(number):
        inner = b"/Resources << /XObject << /F %d 0 R >> >>" % (number + 1)
        return stream(b"/F Do " * 30, b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] " + inner)

    forms = [form(number) for number in range(4, 12)]
    content = pdf_of([CATALOG, PAGES, PAGE % b"/XObject << /F 4 0 R >>", *forms, stream(b"")])
    assert await refused(content, PDF, cpu_seconds=1) == "takes more than 1 s of a processor to read"


async def test_a_list_of_objects_that_points_back_to_itself_comes_to_an_end(extracted, pdf):
    content = pdf("words")
    start = content.rindex(b"xref\n0")
    looped = content.replace(b"/Root", b"/Prev %d /Root" % start)
    answer = await extracted(looped, PDF, "a.pdf")
    assert (answer.outcome, answer.text) == (Outcome.TEXT, "words")


async def test_arrays_without_end_within_each_other_are_refused(refused, pdf_of):
    content = pdf_of([CATALOG, b"<< /Type /Pages /Count 1 /Kids " + b"[" * 100_000 + b" >>"])
    assert await refused(content, PDF)


async def test_marks_that_take_forever_to_put_in_order_are_refused(refused):
    above, below = "\u0301", "\u0323"
    assert unicodedata.combining(above) > unicodedata.combining(below)
    content = ("a" + above * 500_000 + below * 500_000).encode()
    reason = await refused(content, "text/plain", cpu_seconds=1)
    assert reason == "takes more than 1 s of a processor to read"


@pytest.mark.parametrize(
    "content",
    [
        b"<!--" * 500_000,
        *(pytest.param(tag * 700_000, marks=pytest.mark.long_form) for tag in (b"<a ", b"<![", b"&#")),
    ],
    ids=["comment", "element", "section", "sign"],
)
async def test_tags_that_never_close_are_refused_or_read_in_time(extracted, content):
    answer = await extracted(content, "text/html", "a.html", cpu_seconds=1)
    assert answer.outcome is Outcome.TEXT or answer.reason == "takes more than 1 s of a processor to read"


async def test_what_fills_memory_is_refused_and_the_next_document_read_as_ever(refused, extracted):
    reason = await refused(b"[" + b"{}," * 2_000_000 + b"1]", "application/json", memory_bytes=96 << 20)
    assert reason == "takes more than 96 MiB of memory to read"
    assert (await extracted(b"still here", "text/plain", "a.txt")).text == "still here"


async def test_a_file_that_is_too_large_is_refused_before_a_child_is_started(extracted, monkeypatch):
    async def never(*_, **__):
        raise AssertionError("a child was started")

    monkeypatch.setattr("asyncio.create_subprocess_exec", never)
    answer = await extracted(bytes((1 << 20) + 1), "text/plain", "a.txt", input_bytes=1 << 20)
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "is larger than 1 MiB")
