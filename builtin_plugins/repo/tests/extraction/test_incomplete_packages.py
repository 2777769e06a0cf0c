"""Packages that do not list what they hold: their parts are found by the names that programs give them."""

import zipfile

import pytest

from builtin_plugins.repo.extraction import Outcome
from builtin_plugins.repo.tests.reading_here import documents_are_read_here  # noqa: F401 - a fixture

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
OFFICE = "application/vnd.openxmlformats-officedocument"
UNKNOWN = "is a zip archive, not one of the Office files that are read"
DTD = "declares a document type in its XML, which an Office file never does"

DOCUMENT = "word/document.xml"
SHEET = "xl/worksheets/sheet{}.xml"
SLIDE = "ppt/slides/slide{}.xml"
TYPES = "[Content_Types].xml"
ROOT = "_rels/.rels"


def prose(text):
    return f"<part><p><r><t>{text}</t></r></p></part>"


def sheet(*values, kind="str"):
    cells = "".join(f'<c t="{kind}"><v>{value}</v></c>' for value in values)
    return f"<worksheet><sheetData><row>{cells}</row></sheetData></worksheet>"


def workbook(*names):
    sheets = "".join(f'<sheet name="{name}" r:id="s{place}"/>' for place, name in enumerate(names))
    return f'<workbook xmlns:r="{RELATIONS}"><sheets>{sheets}</sheets></workbook>'


def shared_strings(*texts):
    return "<sst>" + "".join(f"<si><t>{text}</t></si>" for text in texts) + "</sst>"


def relations(*entries):
    inside = "".join(
        f'<Relationship Id="{name}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for name, kind, target in entries
    )
    return f"<Relationships>{inside}</Relationships>"


def types(**by_part):
    """`types(xml="application/xml")` speaks of all; a name with a slash, given by `**`, of one part."""
    inside = "".join(
        f'<Override PartName="/{name}" ContentType="{content_type}"/>'
        if "/" in name
        else f'<Default Extension="{name}" ContentType="{content_type}"/>'
        for name, content_type in by_part.items()
    )
    return f"<Types>{inside}</Types>"


TEXTS = {
    "docx": ({DOCUMENT: prose("words")}, "words"),
    "xlsx": ({SHEET.format(1): sheet("words", "more")}, "words\tmore"),
    "pptx": ({SLIDE.format(1): prose("words")}, "words"),
}
MAINS = {"docx": DOCUMENT, "xlsx": "xl/workbook.xml", "pptx": "ppt/presentation.xml"}
WORDS = {"docx": "wordprocessingml", "xlsx": "spreadsheetml", "pptx": "presentationml"}
FRAMES = {
    "nothing around": {},
    "empty types": {TYPES: "<Types/>"},
    "types that say nothing": {TYPES: types(rels="application/x-relations+xml", xml="application/xml")},
    "an empty list": {TYPES: "<Types/>", ROOT: relations()},
}


def root(kind):
    """The frame of a complete package."""
    return {
        TYPES: types(**{MAINS[kind]: f"{OFFICE}.{WORDS[kind]}.any.main+xml"}),
        ROOT: relations(("m", "officeDocument", MAINS[kind])),
    }


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("kind", TEXTS)
async def test_the_parts_alone_are_read(extracted, package, kind, frame):
    parts, text = TEXTS[kind]
    answer = await extracted(package(frame | parts), filename=f"a.{kind}")
    assert (answer.outcome, answer.kind, answer.text) == (Outcome.TEXT, kind, text)


@pytest.mark.parametrize("content_types", [{}, {TYPES: "<Types/>"}], ids=["no types", "empty types"])
@pytest.mark.parametrize("kind", TEXTS)
async def test_a_main_part_of_no_type_is_what_its_name_says(extracted, package, kind, content_types):
    parts, text = TEXTS[kind]
    listed = {ROOT: relations(("m", "officeDocument", MAINS[kind]))}
    answer = await extracted(package(content_types | listed | parts), filename=f"a.{kind}")
    assert (answer.kind, answer.text) == (kind, text)


@pytest.mark.parametrize("filename", ["a.txt", "a.pdf", "a.docx", "a.pptx"])
async def test_the_names_of_the_parts_tell_what_the_name_of_the_file_does_not(extracted, package, filename):
    answer = await extracted(package(TEXTS["xlsx"][0]), filename=filename)
    assert (answer.kind, answer.text) == ("xlsx", "words\tmore")


@pytest.mark.parametrize("kind", TEXTS)
async def test_parts_of_all_three_are_read_as_what_was_declared(extracted, package, kind):
    content = package(TEXTS["docx"][0] | TEXTS["xlsx"][0] | TEXTS["pptx"][0])
    answer = await extracted(content, filename=f"a.{kind}")
    assert (answer.kind, answer.text) == (kind, TEXTS[kind][1])


@pytest.mark.parametrize("filename", ["a.xlsx", "a.txt"])
async def test_parts_of_two_that_are_declared_as_neither_are_not_read(extracted, package, filename):
    answer = await extracted(package(TEXTS["docx"][0] | TEXTS["pptx"][0]), filename=filename)
    assert (answer.outcome, answer.reason) == (Outcome.UNSUPPORTED, UNKNOWN)


async def test_what_stands_around_a_document_follows_it(extracted, package):
    around = ("comments", "header2", "header10", "footnotes", "headers", "people")
    content = package({DOCUMENT: prose("body")} | {f"word/{name}.xml": prose(name) for name in around})
    assert (await extracted(content, filename="a.docx")).text == (
        "body\n\nfootnotes\n\nheader2\n\nheader10\n\ncomments"
    )


async def test_slides_come_in_the_order_of_their_numbers_each_with_its_notes(extracted, package):
    slides = {SLIDE.format(number): prose(f"slide {number}") for number in (10, 2, 1)}
    others = ("ppt/slides/slide1.xml.bak", "ppt/slides/slide٣.xml", "ppt/slides/old/slide3.xml")
    notes = {"ppt/notesSlides/notesSlide2.xml": prose("say hello")}
    content = package(slides | notes | dict.fromkeys(others, prose("no slide")))
    answer = await extracted(content, filename="a.pptx")
    assert answer.text == "slide 1\n\nslide 2\n\nsay hello\n\nslide 10"


async def test_sheets_come_in_the_order_of_their_numbers(extracted, package):
    content = package({SHEET.format(number): sheet(f"on {number}") for number in (10, 2, 1)})
    assert (await extracted(content, filename="a.xlsx")).text == "on 1\n\non 2\n\non 10"


async def test_sheets_that_nothing_leads_to_take_the_names_in_their_order(extracted, package):
    sheets = {SHEET.format(number): sheet(f"on {number}") for number in (1, 2, 3)}
    content = package({"xl/workbook.xml": workbook("First", "Second")} | sheets)
    assert (await extracted(content, filename="a.xlsx")).text == "First\non 1\n\nSecond\non 2\n\non 3"


@pytest.mark.parametrize(("shared", "text"), [(("zero", "one"), "one\tzero"), ((), "")])
async def test_cells_find_their_strings_by_the_name_of_the_part(extracted, package, shared, text):
    strings = {"xl/sharedStrings.xml": shared_strings(*shared)} if shared else {}
    answer = await extracted(package({SHEET.format(1): sheet(1, 0, kind="s")} | strings), filename="a.xlsx")
    assert (answer.outcome, answer.text) == (Outcome.TEXT, text)


async def test_cells_find_their_formats_by_the_name_of_the_part(extracted, package):
    parts = {
        "xl/workbook.xml": '<workbook><workbookPr date1904="1"/></workbook>',
        "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
        SHEET.format(1): '<worksheet><row><c s="0"><v>1</v></c></row></worksheet>',
    }
    assert (await extracted(package(parts), filename="a.xlsx")).text == "1904-01-02"


LISTED = {
    "docx": (
        {
            DOCUMENT: prose("body"),
            "word/_rels/document.xml.rels": relations(("n", "footnotes", "mine.xml")),
            "word/mine.xml": prose("listed"),
            "word/footnotes.xml": prose("left over"),
        },
        "body\n\nlisted",
    ),
    "xlsx": (
        {
            "xl/workbook.xml": workbook("First", "Second"),
            "xl/_rels/workbook.xml.rels": relations(
                ("s0", "worksheet", "worksheets/sheet2.xml"), ("s1", "worksheet", "worksheets/other.xml")
            ),
            SHEET.format(1): sheet("left over"),
            SHEET.format(2): sheet("two"),
            "xl/worksheets/other.xml": sheet("other"),
        },
        "First\ntwo\n\nSecond\nother",
    ),
    "pptx": (
        {
            "ppt/presentation.xml": f'<show xmlns:r="{RELATIONS}"><sldId r:id="b"/><sldId r:id="a"/></show>',
            "ppt/_rels/presentation.xml.rels": relations(
                ("a", "slide", "slides/slide1.xml"), ("b", "slide", "slides/slide2.xml")
            ),
            SLIDE.format(1): prose("one"),
            SLIDE.format(2): prose("two"),
            SLIDE.format(3): prose("left over"),
        },
        "two\n\none",
    ),
}


@pytest.mark.parametrize("complete", [False, True], ids=["without a root", "complete"])
@pytest.mark.parametrize("kind", LISTED)
async def test_what_a_main_part_lists_goes_before_names(extracted, package, kind, complete):
    parts, text = LISTED[kind]
    answer = await extracted(package(parts | (root(kind) if complete else {})), filename=f"a.{kind}")
    assert (answer.kind, answer.text) == (kind, text)


@pytest.mark.parametrize("kind", ["xlsx", "pptx"])
async def test_a_typed_main_part_that_leads_nowhere_leaves_the_rest_to_the_names(extracted, package, kind):
    parts, text = TEXTS[kind]
    content = package(root(kind) | {MAINS[kind]: "<main/>"} | parts)
    assert (await extracted(content, filename=f"a.{kind}")).text == text


@pytest.mark.parametrize("kind", ["xlsx", "pptx"])
async def test_the_list_of_a_main_part_that_is_missing_leads_nowhere(extracted, package, kind):
    parts, text = TEXTS[kind]
    folder, _, name = MAINS[kind].rpartition("/")
    content = package({f"{folder}/_rels/{name}.rels": relations()} | parts)
    assert (await extracted(content, filename=f"a.{kind}")).text == text


@pytest.mark.parametrize("kind", MAINS)
async def test_a_listed_main_part_that_is_missing_is_refused_as_ever(extracted, package, kind):
    parts = {name: content for name, content in TEXTS[kind][0].items() if name != MAINS[kind]}
    answer = await extracted(package(root(kind) | parts), filename=f"a.{kind}")
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, f"lacks its part {MAINS[kind]}")


NONE_OF_THE_THREE = {
    "nothing": {},
    "a text": {"a.txt": "hello"},
    "types alone": {TYPES: "<Types/>"},
    "a document in a folder": {"unpacked/word/document.xml": prose("x")},
    "a name that only begins so": {"word/document.xml.txt": prose("x"), "xl/worksheets/sheet.bin": "x"},
    "another name": {"word/documents.xml": prose("x"), "ppt/slides/slides.xml": prose("x")},
    "what stands around alone": {"word/footnotes.xml": prose("x"), "xl/sharedStrings.xml": "<sst/>"},
    "an open document": {"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": prose("x")},
    "a number without end": {SLIDE.format("1" * 5000): prose("x")},
    "a main part that is another thing": {
        DOCUMENT: prose("x"),
        "visio/document.xml": "<x/>",
        TYPES: types(**{"visio/document.xml": "application/vnd.ms-visio.drawing.main+xml"}),
        ROOT: relations(("m", "officeDocument", "visio/document.xml")),
    },
    "a part that is said to be another": {DOCUMENT: prose("x"), TYPES: types(xml=f"{OFFICE}.spreadsheetml")},
}


@pytest.mark.parametrize("parts", NONE_OF_THE_THREE.values(), ids=NONE_OF_THE_THREE)
async def test_a_zip_that_is_none_of_the_three_stays_unsupported(extracted, package, parts):
    answer = await extracted(package(parts), filename="a.docx")
    assert (answer.outcome, answer.reason) == (Outcome.UNSUPPORTED, UNKNOWN)


@pytest.mark.parametrize("listed", [False, True])
async def test_an_add_in_of_macros_stays_unsupported(extracted, package, listed):
    add_in = "application/vnd.ms-excel.addin.macroEnabled.main+xml"
    parts = {
        TYPES: types(**{"xml": "application/xml", "xl/workbook.xml": add_in}),
        "xl/workbook.xml": workbook("Macros"),
        SHEET.format(1): sheet("x"),
        "xl/vbaProject.bin": "macros",
    }
    lists = {ROOT: relations(("m", "officeDocument", "xl/workbook.xml"))} if listed else {}
    answer = await extracted(package(parts | lists), filename="a.xlsm")
    assert (answer.outcome, answer.reason) == (Outcome.UNSUPPORTED, UNKNOWN)


@pytest.mark.parametrize("listed", [False, True])
async def test_a_document_with_macros_gives_its_words(extracted, package, listed):
    parts = {
        TYPES: types(**{DOCUMENT: "application/vnd.ms-word.document.macroEnabled.main+xml"}),
        DOCUMENT: prose("words"),
        "word/vbaProject.bin": "macros",
    }
    lists = {ROOT: relations(("m", "officeDocument", DOCUMENT))} if listed else {}
    assert (await extracted(package(parts | lists), filename="a.docm")).text == "words"


async def test_parts_behind_a_password_are_refused(extracted, package):
    content = bytearray(package(TEXTS["docx"][0]))
    for mark, offset in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        content[content.index(mark) + offset] |= 1
    answer = await extracted(bytes(content), filename="a.docx")
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "is locked by a password")


BLANK = "<p>" + " " * (1 << 20) + "</p>"
DEEP = "<p>" * 300 + "</p>" * 300
ENTITY = '<!DOCTYPE d [<!ENTITY e "x">]><d><p><t>&e;</t></p></d>'
BOMBS = {
    "a deep document": ({DOCUMENT: DEEP}, {}, "is nested deeper than 256 elements"),
    "a deep slide": ({SLIDE.format(1): DEEP}, {}, "is nested deeper than 256 elements"),
    "a deep sheet": ({SHEET.format(1): DEEP}, {}, "is nested deeper than 256 elements"),
    "an entity in a document": ({DOCUMENT: ENTITY}, {}, DTD),
    "an entity in a slide": ({SLIDE.format(1): ENTITY}, {}, DTD),
    "an entity in shared strings": (
        {SHEET.format(1): sheet("x"), "xl/sharedStrings.xml": ENTITY},
        {},
        DTD,
    ),
    "an entity in the types": ({DOCUMENT: prose("x"), TYPES: ENTITY}, {}, DTD),
    "one that expands": (
        {DOCUMENT: lambda: prose(" " * (20 << 20))},
        {},
        "is a package that expands more than 200 times",
    ),
    "many that expand": (
        {SLIDE.format(number): BLANK for number in range(10)},
        {"expanded_bytes": 8 << 20},
        "is a package that expands to more than 8 MiB",
    ),
    "too many parts": (
        {SLIDE.format(number): prose("x") for number in range(30)},
        {"parts": 20},
        "is a package of more than 20 parts",
    ),
    "too many rows": (
        {SHEET.format(1): "<worksheet>" + "<row/>" * 30 + "</worksheet>"},
        {"rows": 20},
        "has a sheet of more than 20 rows",
    ),
}


IN_LONG = ("a deep slide", "a deep sheet", "an entity in a slide", "one that expands")


@pytest.mark.parametrize(
    ("parts", "limits", "reason"),
    [pytest.param(*BOMBS[name], marks=pytest.mark.long_form if name in IN_LONG else ()) for name in BOMBS],
    ids=BOMBS,
)
async def test_the_limits_hold_here_too(extracted, package, parts, limits, reason):
    made = {name: part() if callable(part) else part for name, part in parts.items()}
    answer = await extracted(package(made), filename="a.docx", **limits)
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, reason)


@pytest.mark.long_form
async def test_the_time_is_bounded_here_too(extracted, package):
    slide = "<p>" + "<a/>" * 10**7 + "</p>"
    content = package({SLIDE.format(1): slide}, compression=zipfile.ZIP_STORED)
    answer = await extracted(content, filename="a.pptx", cpu_seconds=1)
    assert (answer.outcome, answer.reason) == (Outcome.REFUSED, "takes more than 1 s of a processor to read")


@pytest.mark.parametrize(
    ("parts", "limits", "text"),
    [
        ({SLIDE.format(number): prose(number) for number in range(1, 6)}, {"pages": 2}, "1\n\n2"),
        ({SHEET.format(number): sheet(number, number) for number in (1, 2)}, {"cells": 3}, "1\t1\n\n2"),
        ({DOCUMENT: prose("x" * 100)}, {"text_bytes": 10}, "x" * 10),
    ],
    ids=["slides", "cells", "text"],
)
async def test_too_much_gives_the_first_of_it(extracted, package, parts, limits, text):
    answer = await extracted(package(parts), filename="a.docx", **limits)
    assert (answer.text, answer.partial) == (text, True)
