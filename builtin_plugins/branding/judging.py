"""The services `Pictures`, `Themes` and `Brandings`: what branding judges and shows, for other plugins."""

import base64
import re
from collections.abc import Mapping
from typing import Any

from builtin_plugins.branding import service
from builtin_plugins.branding.branding import check_theme
from builtin_plugins.branding.logos.svg import SVG
from builtin_plugins.branding.logos.upload import EXTENSIONS, read_picture
from guildhall_sdk import Reader, Reply
from guildhall_sdk.services.branding import MAX_PICTURE_BYTES, Look, Picture
from libs.fair_slots import BODIES
from libs.themes import palette

# A browser that opens a picture by itself runs nothing and loads nothing, whatever the picture says.
_INERT = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
_FOR_EVER = "public, max-age=31536000, immutable"


class JudgedPictures:
    """Implements the SDK's `Pictures`."""

    async def judge(
        self, holder: str, content_type: str, data: str, *, max_bytes: int = MAX_PICTURE_BYTES
    ) -> Picture:
        logo = await BODIES.run(holder, read_picture, content_type, data, max_bytes)
        return Picture(
            content_type=logo.content_type,
            digest=logo.digest,
            size=logo.size,
            content=base64.b64decode(logo.data),
        )

    def reply(self, picture: Picture, *, filename: str = "picture") -> Reply:
        return picture_reply(picture.content_type, picture.content, picture.digest, filename)


class JudgedThemes:
    """Implements the SDK's `Themes`."""

    def judge(self, theme: Mapping[str, Any]) -> None:
        check_theme(theme)

    def palette(self, theme: Mapping[str, Any]) -> Mapping[str, str | int]:
        return palette(theme)


class ShownBrandings:
    """Implements the SDK's `Brandings`."""

    async def at(self, reader: Reader, hostname: str) -> Look:
        found = await service.branding_for(reader, None, hostname)
        return Look(
            title=found["title"], tagline=found["tagline"], logo=found["logo"], palette=found["palette"]
        )


def picture_reply(content_type: str, content: bytes, digest: str, filename: str) -> Reply:
    name = re.sub(r"[^A-Za-z0-9_-]", "", filename) or "picture"
    headers = {
        "Cache-Control": _FOR_EVER,
        "Content-Disposition": f'inline; filename="{name}.{EXTENSIONS[content_type]}"',
        "Content-Security-Policy": _INERT,
    }
    charset = "; charset=utf-8" if content_type == SVG else ""
    return Reply(headers=headers, etag=f'"{digest}"', content=content, content_type=content_type + charset)
