"""DOCX, XLSX and PPTX: the words, in the order in which they are read."""

import pytest

from builtin_plugins.repo.extraction import Outcome
from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def word(text, style=None):
    properties = (
        f'<w:pPr><w:pStyle w:val="{style}"/><w:tabs><w:tab w:pos="1"/></w:tabs></w:pPr>' if style else ""
    )
    return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"


async def test_a_document_gives_paragraphs_headings_and_tables(extracted, docx):
    table = "".join(
        "<w:tr>" + "".join(f"<w:tc>{word(cell)}{word('more')}</w:tc>" for cell in row) + "</w:tr>"
        for row in (("Name", "Age"), ("Ann", "41"))
    )
    body = (
        word("Annual report", "Heading1")
        + "<w:p><w:r><w:t>Grü</w:t></w:r><w:r><w:t>ße</w:t><w:tab/><w:t>end</w:t></w:r>"
        + "<w:r><w:br/><w:t>line</w:t></w:r></w:p>"
        + word("Part two", "Heading2")
        + f"<w:tbl><w:tblPr/>{table}</w:tbl>"
        + word("after")
    )
    answer = await extracted(docx(body), DOCX, "a.docx")
    assert answer.text == (
        "Annual report\nGrüße\tend\nline\n\nPart two\n\nName more\tAge more\nAnn more\t41 more\n\nafter"
    )
    assert (answer.kind, answer.partial) == ("docx", False)


async def test_what_was_deleted_moved_or_doubled_is_not_in_the_text(extracted, docx):
    body = (
        "<w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del><w:r><w:t>kept</w:t></w:r>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:instrText>PAGE</w:instrText></w:r>"
        '<mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice><w:r><w:t> box</w:t></w:r></mc:Choice>'
        "<mc:Fallback><w:r><w:t>box</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>"
    )
    assert (await extracted(docx(body), DOCX, "a.docx")).text == "kept box"


async def test_notes_headers_and_comments_follow_the_text(extracted, docx):
    content = docx(word("body"), comments=word("comment"), header=word("header"), footnotes=word("note"))
    assert (await extracted(content, DOCX, "a.docx")).text == "body\n\nnote\n\nheader\n\ncomment"


async def test_a_huge_picture_in_a_document_is_never_unpacked(extracted, docx):
    content = docx(word("words"), extra={"word/media/image1.png": bytes(64 << 20)})
    answer = await extracted(content, DOCX, "a.docx", memory_bytes=96 << 20)
    assert (answer.outcome, answer.text) == (Outcome.TEXT, "words")


async def test_a_workbook_gives_its_sheets_by_name_with_cells_between_tabs(extracted, xlsx):
    rows = (
        '<row r="1"><c t="s"><v>0</v></c><c t="inlineStr"><is><t>in </t><r><t>line</t></r></is></c></row>'
        '<row r="2"/><row r="3"><c/><c><v>3</v></c><c><f>1/10</f><v>0.30000000000000004</v></c>'
        '<c t="b"><v>1</v></c><c t="str"><f>x</f><v>formula</v></c><c t="e"><v>#N/A</v></c></row>'
    )
    shared = ["<r><t>Ri</t></r><r><t>ch</t></r><rPh><t>phonetic</t></rPh>"]
    answer = await extracted(xlsx({"First": rows, "Zweites": "", "3rd": rows}, shared), XLSX, "a.xlsx")
    sheet = "Rich\tin line\n3\t0.3\tTRUE\tformula\t#N/A"
    assert answer.text == f"First\n{sheet}\n\nZweites\n\n3rd\n{sheet}"
    assert answer.kind == "xlsx"


async def test_a_date_is_a_date_and_not_a_number(extracted, xlsx):
    values = (
        (0, "45292"),
        (1, "45292.75"),
        (2, "0.5"),
        (3, "45292"),
        (4, "45292"),
        (5, "1234.5"),
        (0, "9e9"),
    )
    row = "<row>" + "".join(f'<c s="{style}"><v>{value}</v></c>' for style, value in values) + "</row>"
    content = xlsx(
        {"Dates": row},
        formats=[14, 22, 20, 164, 165, 166],
        codes={164: "dd/mm/yyyy", 165: "[Red]0.00&quot; days&quot;", 166: "0.00E+00"},
    )
    assert (await extracted(content, XLSX, "a.xlsx")).text == (
        "Dates\n2024-01-01\t2024-01-01 18:00:00\t12:00:00\t2024-01-01\t45292\t1234.5\t9e9"
    )


async def test_a_workbook_may_count_from_1904(extracted, xlsx):
    content = xlsx({"D": '<row><c s="0"><v>1</v></c></row>'}, formats=[14], book='<workbookPr date1904="1"/>')
    assert (await extracted(content, XLSX, "a.xlsx")).text == "D\n1904-01-02"


@pytest.mark.parametrize("value", ["7", "-1", "x", "", "99999999999999999999", "٣"])
async def test_a_cell_that_points_nowhere_is_empty(extracted, xlsx, value):
    content = xlsx({"S": f'<row><c t="s"><v>{value}</v></c><c t="s"><v>0</v></c></row>'}, ["<t>there</t>"])
    assert (await extracted(content, XLSX, "a.xlsx")).text == "S\nthere"


async def test_too_many_cells_give_the_first_of_them(extracted, xlsx):
    rows = "".join(f"<row><c><v>{number}</v></c></row>" for number in range(100))
    answer = await extracted(xlsx({"S": rows}), XLSX, "a.xlsx", cells=3)
    assert (answer.text, answer.partial) == ("S\n0\n1\n2", True)


async def test_slides_come_in_the_order_of_the_show_each_with_its_notes(extracted, pptx):
    def slide(text):
        return f'<a:p><a:r><a:t>{text}</a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>'

    table = "<a:tbl><a:tr><a:tc>{}</a:tc><a:tc>{}</a:tc></a:tr></a:tbl>".format(slide("l"), slide("r"))
    content = pptx(
        [slide("made first"), slide("opening") + table], order=[1, 0], notes={1: slide("say hello")}
    )
    answer = await extracted(content, PPTX, "a.pptx")
    assert answer.text == "opening\n\nl\tr\n\nsay hello\n\nmade first"
    assert answer.kind == "pptx"


async def test_too_many_slides_give_the_first_of_them(extracted, pptx):
    answer = await extracted(pptx(["<a:p><a:t>x</a:t></a:p>"] * 5), PPTX, "a.pptx", pages=2)
    assert (answer.text, answer.partial) == ("x\n\nx", True)


async def test_a_package_that_lacks_its_main_part_is_refused(extracted, docx):
    answer = await extracted(docx("").replace(b"word/document.xml", b"word/documenX.xml"), DOCX, "a.docx")
    assert answer.outcome is Outcome.REFUSED


async def test_a_package_that_is_cut_off_is_refused(extracted, docx):
    answer = await extracted(docx(word("x"))[:-30], DOCX, "a.docx")
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "is a package that is cut off or malformed")


async def test_markup_that_is_not_well_formed_is_refused_with_its_line(extracted, docx):
    answer = await extracted(docx("<w:p>\n<w:t>"), DOCX, "a.docx")
    assert (answer.outcome, answer.reason) == (
        Outcome.REFUSED,
        "holds XML that is not well-formed, at line 2",
    )
