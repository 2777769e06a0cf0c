"""Files of every kind, made here: nothing is read from the machine or the network."""

import io
import math
import struct
import wave
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence

_SIDE = 480
_WAVE = 12
_RATE = 8000
_OFFICE = "http://schemas.openxmlformats.org"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

HANDBOOK = """# Harbour handbook

Anna de Vries runs the harbour office of Harbour Works B.V. in Rotterdam.

## Berths
- Berth 4 is kept free for the pilot boat.
- The MV Aurora of Northern Lines unloads at berth 7 on Tuesdays.

## Who to ask
Bela Novak of Harbour Works B.V. plans the cranes; Northern Lines writes to Cleo Adeyemi.
"""
CONTRACT = """Contract between Harbour Works B.V. and Northern Lines

Northern Lines leases berth 7 in Rotterdam from 1 March 2026 for 24 months.
Anna de Vries signed for Harbour Works B.V., Jonas Berg for Northern Lines.
The rent is EUR 12,400 a month.
"""
CREW = """# Who works with whom

Cleo Adeyemi works for Harbour Works B.V. and reports to Anna de Vries. Dario Conti helps Bela Novak.
Elin Berg audits Northern Lines for Baltic Insurance. Baltic Insurance covers Polar Freight.
Polar Freight charters the MV Aurora from Northern Lines. Jonas Berg leads Northern Lines in Oslo.
Mila Ozols buys timber in Riga for Nordic Timber. Nordic Timber ships with Polar Freight to Rotterdam.
Omar Haddad of Delta Machines ships machines to Hamburg. Delta Machines leases a crane from Harbour Works B.V.
"""
CARGO = "week,ship,tonnes\n" + "".join(
    f"{week},{'MV Aurora' if week % 2 else 'MV Borealis'},{820 + week * 37 % 210}\n" for week in range(1, 27)
)
PAGE = "<!doctype html><title>Tides</title><h1>Tides of March</h1><p>High water at 06:12 and 18:40.</p>\n"
SCRIPT = "def berth_for(ship: str) -> int:\n    return 7 if ship == 'MV Aurora' else 4\n"
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 60">'
    '<rect width="120" height="60" fill="#dbe9f4"/>'
    '<path d="M20 40h80l-12 14H32z" fill="#3d5a80"/><path d="M58 10v28h24z" fill="#ee6c4d"/></svg>\n'
)


def files() -> Iterator[tuple[str, bytes, str]]:
    """Yields keys, bytes and types."""
    yield "harbour/handbook.md", HANDBOOK.encode(), "text/markdown"
    yield "harbour/people.md", CREW.encode(), "text/markdown"
    yield "harbour/contracts/northern-lines.txt", CONTRACT.encode(), "text/plain"
    yield "harbour/contracts/northern-lines.pdf", pdf(CONTRACT.splitlines()), "application/pdf"
    yield (
        "harbour/contracts/letter.docx",
        docx(["Dear Jonas,", "berth 7 is yours from March on.", "Anna"]),
        DOCX,
    )
    yield "harbour/cargo/weeks.csv", CARGO.encode(), "text/csv"
    yield "harbour/cargo/weeks.xlsx", xlsx([line.split(",") for line in CARGO.split()]), XLSX
    yield "harbour/cargo/berths.json", b'{"4": "pilot boat", "7": "MV Aurora"}\n', "application/json"
    yield "harbour/pictures/sunrise.png", png((247, 178, 103), (58, 90, 128)), "image/png"
    yield "harbour/pictures/night.png", png((28, 37, 65), (11, 19, 43)), "image/png"
    yield "harbour/pictures/boat.svg", DRAWING.encode(), "image/svg+xml"
    yield "harbour/sounds/horn.wav", wav(110), "audio/wav"
    yield "harbour/tides.html", PAGE.encode(), "text/html"
    yield "harbour/tools/berths.py", SCRIPT.encode(), "text/x-python"
    yield "harbour/archive/2025.zip", zipped({"cargo.csv": CARGO, "handbook.md": HANDBOOK}), "application/zip"


def png(sky: tuple[int, int, int], sea: tuple[int, int, int]) -> bytes:
    """Draws a sky above a sea, with the sun between."""
    rows = bytearray()
    middle, radius = _SIDE * 3 // 5, _SIDE // 7
    for y in range(_SIDE * 3 // 4):
        shade = 1 - y / (3 * _SIDE)
        rows.append(0)
        if y < middle:
            half = math.isqrt(max(0, radius**2 - (middle - y) ** 2))
            beside = _shaded(sky, shade, 0) * (_SIDE // 2 - half)
            rows += beside + _shaded((255, 220, 150), shade, 0) * (2 * half) + beside
        else:
            heights = {height: _shaded(sea, shade, height) for height in range(-_WAVE, _WAVE + 1)}
            rows += b"".join(heights[round(_WAVE * math.sin(x / 19 + y / 5))] for x in range(_SIDE))
    header = struct.pack(">II", _SIDE, _SIDE * 3 // 4) + bytes((8, 2, 0, 0, 0))
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


def _shaded(colour: tuple[int, int, int], shade: float, height: int) -> bytes:
    """Returns a pixel of a colour, darker by a shade and lighter by the height of a wave."""
    return bytes(max(0, min(255, round(part * shade + height))) for part in colour)


def pdf(lines: Sequence[str]) -> bytes:
    """Sets lines of text on one page."""
    escaped = [line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in lines]
    text = "BT /F1 12 Tf 72 760 Td 16 TL " + " ".join(f"({line}) Tj T*" for line in escaped) + " ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(text)} >>\nstream\n{text}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    content, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(content)}\n%%EOF\n"
    return f"{content}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode("latin-1")


def wav(pitch: int) -> bytes:
    """Sounds a horn for a second."""
    content = io.BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(_RATE)
        levels = (round(9000 * math.sin(2 * math.pi * pitch * at / _RATE)) for at in range(_RATE))
        sound.writeframes(b"".join(struct.pack("<h", level) for level in levels))
    return content.getvalue()


def docx(paragraphs: Sequence[str]) -> bytes:
    word = f"{_OFFICE}/wordprocessingml/2006/main"
    text = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in paragraphs)
    document = f'{_HEAD}<w:document xmlns:w="{word}"><w:body>{text}</w:body></w:document>'
    return _package("word/document.xml", f"{DOCX}.main+xml", {"word/document.xml": document})


def xlsx(rows: Sequence[Sequence[str]]) -> bytes:
    sheet = f"{_OFFICE}/spreadsheetml/2006/main"
    relations = f"{_OFFICE}/officeDocument/2006/relationships"
    cells = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)
    parts = {
        "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{sheet}" xmlns:r="{relations}"><sheets>'
        '<sheet name="Cargo" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'{_HEAD}<worksheet xmlns="{sheet}"><sheetData>{cells}</sheetData>'
        "</worksheet>",
    }
    return _package("xl/workbook.xml", f"{XLSX}.main+xml", parts)


def _cell(text: str) -> str:
    if text.isdigit():
        return f"<c><v>{text}</v></c>"
    return f'<c t="inlineStr"><is><t>{text}</t></is></c>'


def _package(main: str, main_type: str, parts: Mapping[str, str]) -> bytes:
    types = f"{_OFFICE}/package/2006/content-types"
    frame = {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{types}"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/{main}" ContentType="{main_type}"/></Types>',
        "_rels/.rels": _relations("officeDocument", main),
    }
    return zipped({**frame, **parts})


def _relations(kind: str, target: str) -> str:
    return (
        f'{_HEAD}<Relationships xmlns="{_OFFICE}/package/2006/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument/2006/relationships/{kind}" Target="{target}"/></Relationships>'
    )


def zipped(parts: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return content.getvalue()
