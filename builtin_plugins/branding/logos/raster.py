"""The raster formats that are taken, by the bytes they begin with."""

import re

from builtin_plugins.branding.logos.gif import read_gif
from builtin_plugins.branding.logos.jpeg import read_jpeg
from builtin_plugins.branding.logos.png import read_png
from builtin_plugins.branding.logos.webp import read_webp

# Each reader walks the whole file, refuses what is cut off or goes on behind the end, and gives the size.
READERS = (
    ("image/png", re.compile(rb"\x89PNG\r\n\x1a\n"), read_png),
    ("image/jpeg", re.compile(rb"\xff\xd8\xff"), read_jpeg),
    ("image/gif", re.compile(rb"GIF8[79]a"), read_gif),
    ("image/webp", re.compile(rb"RIFF.{4}WEBP", re.DOTALL), read_webp),
)
