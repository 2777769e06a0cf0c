"""Small files of the kinds that people have: what the console shows of each is looked for by its words."""

import io
import math
import struct
import wave
import zipfile

from PIL import Image

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_SHOW = "http://schemas.openxmlformats.org/presentationml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def _relations(**targets):
    inside = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_RELATIONS}">{inside}</Relationships>'


def _package(main, parts):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", _relations(main=("officeDocument", main)))
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()


def picture(colour="#0f766e", size=(320, 200)):
    content = io.BytesIO()
    Image.new("RGB", size, colour).save(content, "PNG")
    return content.getvalue()


def word():
    """A heading, some bold words, a numbered list, a table and a picture."""
    body = (
        '<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr><w:r><w:t>Harbour plan</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>Boats sail on </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>Monday</w:t></w:r></w:p>"
        + "".join(
            '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>'
            f"<w:r><w:t>{step}</w:t></w:r></w:p>"
            for step in ("Load the boats", "Cast off")
        )
        + "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Berth</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p><w:r><w:t>Seven</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
        '<w:p><w:r><w:drawing><a:blip r:embed="pic"/></w:drawing></w:r></w:p>'
    )
    spaces = f'xmlns:w="{_WORD}" xmlns:a="{_DRAWING}" xmlns:r="{_OFFICE}"'
    parts = {
        "word/document.xml": f"<w:document {spaces}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f'<w:styles {spaces}><w:style w:styleId="H1"><w:name w:val="heading 1"/>'
        "</w:style></w:styles>",
        "word/numbering.xml": f'<w:numbering {spaces}><w:abstractNum w:abstractNumId="4"><w:lvl w:ilvl="0">'
        '<w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="4"/></w:num></w:numbering>',
        "word/media/one.png": picture(),
        "word/_rels/document.xml.rels": _relations(pic=("image", "media/one.png")),
    }
    return _package("word/document.xml", parts)


def sheet():
    """Two sheets; on the first a text, a day and a part of a hundred."""
    row = (
        '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" s="1"><v>46023</v></c>'
        '<c r="C2" s="2"><v>0.256</v></c></row>'
    )
    sheets = {
        "dues": row,
        "boats": '<row r="1"><c r="A1" t="inlineStr"><is><t>Anna</t></is></c></row>',
    }
    listed = "".join(f'<sheet name="{name}" sheetId="1" r:id="{name}"/>' for name in sheets)
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets>'
        "</workbook>",
        "xl/sharedStrings.xml": f'<sst xmlns="{_SHEET}"><si><t>Quay rent</t></si></sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{_SHEET}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>'
        '<xf numFmtId="10"/></cellXfs></styleSheet>',
        **{
            f"xl/worksheets/{name}.xml": f'<worksheet xmlns="{_SHEET}"><sheetData>{rows}</sheetData>'
            "</worksheet>"
            for name, rows in sheets.items()
        },
        "xl/_rels/workbook.xml.rels": _relations(
            strings=("sharedStrings", "sharedStrings.xml"),
            styles=("styles", "styles.xml"),
            **{name: ("worksheet", f"worksheets/{name}.xml") for name in sheets},
        ),
    }
    return _package("xl/workbook.xml", parts)


def slides():
    """One slide with a title in the upper third, and a box of a colour."""
    spaces = f'xmlns:p="{_SHOW}" xmlns:a="{_DRAWING}" xmlns:r="{_OFFICE}"'

    def shape(x, y, width, height, text, more=""):
        return (
            f'<p:sp><p:spPr><a:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'
            f'{more}</p:spPr><p:txBody><a:p><a:r><a:rPr sz="3200" b="1"/><a:t>{text}</a:t></a:r></a:p>'
            "</p:txBody></p:sp>"
        )

    filled = '<a:solidFill><a:srgbClr val="CCEEFF"/></a:solidFill>'
    tree = shape(914400, 457200, 7315200, 914400, "A new quay") + shape(
        914400, 2743200, 3657600, 914400, "Opens in May", filled
    )
    parts = {
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>"
        '<p:sldId id="256" r:id="s1"/></p:sldIdLst><p:sldSz cx="9144000" cy="5143500"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": _relations(s1=("slide", "slides/slide1.xml")),
        "ppt/slides/slide1.xml": f"<p:sld {spaces}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:sld>",
    }
    return _package("ppt/presentation.xml", parts)


def pdf(*pages):
    """A PDF with a line of text on each page."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * at) for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(pages):
        drawn = b"BT /F1 24 Tf 72 720 Td (%s) Tj ET" % text.encode("latin-1")
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R >>" % (5 + 2 * at),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        ]
    return _pdf(objects)


def scan():
    """A PDF of one page that is a picture."""
    drawn, grey = b"q 400 0 0 400 90 200 cm /I1 Do Q", bytes(range(0, 256, 4))
    return _pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /I1 5 0 R >> >> "
            b"/Contents 4 0 R >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
            b"<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray "
            b"/BitsPerComponent 8 /Length %d >>\nstream\n%s\nendstream" % (len(grey), grey),
        ]
    )


def chinese_pdf(text):
    """A PDF whose font is not in it, and whose characters are told by a map that every reader has."""
    drawn = b"BT /F1 24 Tf 72 720 Td <%s> Tj ET" % text.encode("utf-16-be").hex().encode()
    return _pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 5 0 R >> >> "
            b"/Contents 4 0 R >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
            b"<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H "
            b"/DescendantFonts [6 0 R] >>",
            b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /FontDescriptor 7 0 R "
            b"/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> >>",
            b"<< /Type /FontDescriptor /FontName /STSong-Light /Flags 4 /FontBBox [0 -200 1000 900] "
            b"/ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
        ]
    )


def _pdf(objects):
    content, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    content += b"".join(b"%010d 00000 n \n" % place for place in places)
    return content + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        start,
    )


def sound(seconds=2, rate=8000):
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        waves = (math.sin(at * 440 * 2 * math.pi / rate) for at in range(seconds * rate))
        file.writeframes(b"".join(struct.pack("<h", int(9000 * one)) for one in waves))
    return content.getvalue()
