"""Documents built from nothing, and an extractor to read them with."""

import io
import zipfile

import pytest

from builtin_plugins.repo.extraction import PAGE_MARK, Extractor, ReadingLimits

RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
OFFICE = "application/vnd.openxmlformats-officedocument"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHOW = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


@pytest.fixture
def extracted(tmp_path):
    """`await extracted(content, "text/plain", "a.txt", cpu_seconds=1)`: what becomes of it.

    With `marks` the text says where pages end, as the index has it.
    """

    async def extract(
        content, content_type="application/octet-stream", filename="document", *, marks=False, **limits
    ):
        path = tmp_path / "document"
        path.write_bytes(content)
        with path.open("rb") as document:
            found = await Extractor(ReadingLimits(**limits)).extract(document, content_type, filename)
        if found.text is None or marks:
            return found
        return found._replace(text=found.text.replace(PAGE_MARK, ""))

    return extract


def relations(*entries):
    """Each an id, the last segment of its type, and a target."""
    inside = "".join(
        f'<Relationship Id="{name}" Type="{OFFICE_RELATIONS}/{kind}" Target="{target}"/>'
        for name, kind, target in entries
    )
    return f'<Relationships xmlns="{RELATIONSHIPS}">{inside}</Relationships>'


def zipped(parts, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def office(main, main_type, parts, compression=zipfile.ZIP_DEFLATED):
    """A package whose main part is of that type."""
    override = f'<Override PartName="/{main}" ContentType="{OFFICE}.{main_type}.main+xml"/>'
    frame = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}">{override}</Types>',
        "_rels/.rels": relations(("rId1", "officeDocument", main)),
    }
    return zipped(frame | parts, compression)


@pytest.fixture
def package():
    """`package({"name": content})`: a zip file of just these."""
    return zipped


@pytest.fixture
def docx():
    """`docx("<w:p>…</w:p>", footnotes="…")`: a document with that body, and what stands around it."""

    def build(body, doctype="", compression=zipfile.ZIP_DEFLATED, extra=None, **around):
        parts = {
            "word/document.xml": f'{doctype}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
        }
        for kind, inside in around.items():
            parts[f"word/{kind}.xml"] = f'<w:{kind} xmlns:w="{WORD}">{inside}</w:{kind}>'
        parts["word/_rels/document.xml.rels"] = relations(*((kind, kind, f"{kind}.xml") for kind in around))
        return office("word/document.xml", "wordprocessingml.document", parts | (extra or {}), compression)

    return build


@pytest.fixture
def xlsx():
    """`xlsx({"Sheet": "<row>…</row>"}, shared=["…"], formats=[14], codes={164: "yyyy"})`."""

    def build(sheets, shared=(), formats=(), codes=None, compression=zipfile.ZIP_DEFLATED, book=""):
        named = "".join(f'<sheet name="{name}" r:id="s{index}"/>' for index, name in enumerate(sheets))
        parts = {
            "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE_RELATIONS}">{book}'
            f"<sheets>{named}</sheets></workbook>",
            "xl/sharedStrings.xml": f'<sst xmlns="{SHEET}">'
            + "".join(f"<si>{one}</si>" for one in shared)
            + "</sst>",
            "xl/styles.xml": f'<styleSheet xmlns="{SHEET}"><numFmts>'
            + "".join(
                f'<numFmt numFmtId="{key}" formatCode="{code}"/>' for key, code in (codes or {}).items()
            )
            + '</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>'
            + "".join(f'<xf numFmtId="{number}"/>' for number in formats)
            + "</cellXfs></styleSheet>",
        }
        for index, rows in enumerate(sheets.values()):
            parts[f"xl/worksheets/any{index}.xml"] = (
                f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'
            )
        parts["xl/_rels/workbook.xml.rels"] = relations(
            ("shared", "sharedStrings", "sharedStrings.xml"),
            ("styles", "styles", "/xl/styles.xml"),
            *((f"s{index}", "worksheet", f"worksheets/any{index}.xml") for index in range(len(sheets))),
        )
        return office("xl/workbook.xml", "spreadsheetml.sheet", parts, compression)

    return build


@pytest.fixture
def pptx():
    """`pptx(["<a:p>…</a:p>", …], order=[1, 0], notes={0: "…"})`: slides, and the order of the show."""

    def build(slides, order=None, notes=None):
        spaces = f'xmlns:p="{SHOW}" xmlns:a="{DRAWING}" xmlns:r="{OFFICE_RELATIONS}"'
        listed = "".join(
            f'<p:sldId id="{256 + place}" r:id="s{index}"/>'
            for place, index in enumerate(order if order is not None else range(len(slides)))
        )
        parts = {
            "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst>"
            "</p:presentation>",
            "ppt/_rels/presentation.xml.rels": relations(
                *((f"s{index}", "slide", f"slides/slide{index}.xml") for index in range(len(slides)))
            ),
        }
        for index, inside in enumerate(slides):
            parts[f"ppt/slides/slide{index}.xml"] = f"<p:sld {spaces}>{inside}</p:sld>"
        for index, inside in (notes or {}).items():
            parts[f"ppt/notesSlides/n{index}.xml"] = f"<p:notes {spaces}>{inside}</p:notes>"
            parts[f"ppt/slides/_rels/slide{index}.xml.rels"] = relations(
                ("n", "notesSlide", f"../notesSlides/n{index}.xml")
            )
        return office("ppt/presentation.xml", "presentationml.presentation", parts)

    return build


@pytest.fixture
def pdf_of():
    """`pdf_of([b"<<…>>", …])`: a PDF of these objects, of which the first is its catalog."""

    def build(objects, trailer=b""):
        content, offsets = b"%PDF-1.7\n", []
        for number, body in enumerate(objects, 1):
            offsets.append(len(content))
            content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        start = len(content)
        content += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        content += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        content += b"trailer << /Size %d /Root 1 0 R %s >>\n" % (len(objects) + 1, trailer)
        return content + b"startxref\n%d\n%%%%EOF\n" % start

    return build


@pytest.fixture
def stream():
    """`stream(data, b"/Filter /FlateDecode")`: an object that holds bytes."""

    def build(data, entries=b""):
        return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)

    return build


@pytest.fixture
def pdf(pdf_of, stream):
    """`pdf("page one", "page two", title="…")`."""

    def build(*pages, title=None):
        font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
        kids = b" ".join(b"%d 0 R" % (5 + 2 * index) for index in range(len(pages)))
        info = b"<< /Title (%s) >>" % title.encode("latin-1") if title else b"<< >>"
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(pages), kids),
            font,
            info,
        ]
        for index, text in enumerate(pages):
            drawn = b"BT /F1 12 Tf 72 720 Td (%s) Tj ET" % text.encode("cp1252")
            objects.append(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
                b" /Resources << /Font << /F1 3 0 R >> >> >>" % (6 + 2 * index)
            )
            objects.append(stream(drawn))
        return pdf_of(objects, b"/Info 4 0 R")

    return build
