"""A small picture of a picture, or of the first page of a PDF: another errand of the child, in WebP.

Each decoder is loaded before the child is confined. Whatever one trips over costs the child alone: no answer
means that there is no picture.
"""

import importlib
import io
import json
import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from PIL import AvifImagePlugin, Image, ImageOps

from libs.sandbox import Bounds, Unconfined, bind, confine

from .task import DrawingLimits

# Who is asked to open a picture. SVG is a program, and never drawn here.
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "AVIF", "BMP")
# What decoders would load while they read: for frames of a GIF, a camera's second picture, which way is up.
_LATE = ("copy", "PIL.ImagePalette", "PIL.MpoImagePlugin", "PIL.TiffImagePlugin")
_QUALITY = 80
_HEAD_BYTES = 1024

Draw = Callable[[BinaryIO, int, DrawingLimits], Image.Image]


def main(request: str) -> None:
    task = json.loads(request)
    limits = DrawingLimits(**task["limits"])
    bind(Bounds(limits.memory_bytes, limits.cpu_seconds, limits.wall_seconds), task["parent"])
    with os.fdopen(0, "rb") as document, os.fdopen(1, "wb") as output:
        output.write(answer(document, task, limits))
        output.flush()
        os._exit(0)


def answer(document: BinaryIO, task: Mapping[str, Any], limits: DrawingLimits) -> bytes:
    """Returns a picture, or nothing."""
    draw = _load(b"%PDF-" in os.pread(0, _HEAD_BYTES, 0))
    try:
        confine()
    except Unconfined:
        if not task["unconfined"]:
            raise
    try:
        return _encoded(draw(document, task["size"], limits))
    except Exception:
        # Broken, too large, or of a kind that nobody here reads: there is no picture, whatever it was.
        return b""


def _load(is_pdf: bool) -> Draw:
    """Imports what is needed: nothing can be loaded later, and no thread started."""
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None  # judged below, before a pixel is read
    AvifImagePlugin.DEFAULT_MAX_THREADS = 1
    for module in (*_LATE, *(f"PIL.{name}ImagePlugin" for name in ("Png", "Jpeg", "Gif", "WebP", "Bmp"))):
        importlib.import_module(module)
    if not is_pdf:
        return draw_picture
    pypdfium2 = importlib.import_module("pypdfium2")

    def draw_page(document: BinaryIO, size: int, limits: DrawingLimits) -> Image.Image:
        page = pypdfium2.PdfDocument(document.read(limits.input_bytes))[0]
        width, height = page.get_size()
        scale = size / max(width, height)
        picture: Image.Image = page.render(scale=scale, draw_annots=False).to_pil()
        picture.thumbnail((size, size))
        return picture

    return draw_page


def draw_picture(document: BinaryIO, size: int, limits: DrawingLimits) -> Image.Image:
    picture: Image.Image = Image.open(document, formats=_FORMATS)
    width, height = picture.size
    if picture.format == "JPEG":
        picture.draft("RGB", (size, size))
        width, height = picture.size
    if width * height > limits.pixels:
        raise ValueError("too many pixels")
    small = _mixable(picture)
    small.thumbnail((size, size), Image.Resampling.LANCZOS, reducing_gap=2.0)
    ImageOps.exif_transpose(small, in_place=True)
    return small


def _mixable(picture: Image.Image) -> Image.Image:
    """Returns a picture whose colours can be mixed; most are so, and a copy of a large one is dear."""
    if picture.mode.startswith("I"):
        return picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if "transparency" in picture.info:
        return picture.convert("RGBA")
    return picture.convert("RGB") if picture.mode in ("1", "P") else picture


def _encoded(picture: Image.Image) -> bytes:
    content = io.BytesIO()
    picture.convert("RGBA" if picture.has_transparency_data else "RGB").save(
        content, "WEBP", quality=_QUALITY
    )
    return content.getvalue()
