"""The rows of branding."""

from collections.abc import Mapping
from typing import Any, Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.downloads import Download
from guildhall_client.types.branding import Brand


class Branding:
    """Calls of branding."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def get(self) -> Brand:
        """The branding to show here: of the caller's company, of the hostname's, else the
        instance's.
        """
        reply: Brand = self._api.call("GET", "/api/branding")
        return reply

    def logo(self, digest: str) -> Download:
        """A logo by the SHA-256 of its bytes."""
        return Download(self._api, f"/api/branding/logos/{segment(digest)}")

    def set(
        self,
        *,
        logo: str | Omitted | None = OMITTED,
        tagline: str | Omitted = OMITTED,
        theme: Mapping[str, Any] | Omitted = OMITTED,
        title: str | Omitted = OMITTED,
    ) -> Brand:
        """Set the instance's branding; fields that are left out stay as they are.

        `theme`: Colours as #rrggbb: bg, surface, text, muted, border, accent, on-accent, danger,
            on-danger, focus, and each with dark- in front; radius: 0 to 24
        Needs instance:manage.
        """
        reply: Brand = self._api.call(
            "PUT", "/api/branding", fields={"logo": logo, "tagline": tagline, "theme": theme, "title": title}
        )
        return reply

    def set_logo(
        self,
        *,
        content_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"],
        data: str,
    ) -> Brand:
        """Upload the instance's logo.

        `content_type`: Must be what the data is by its content
        `data`: The picture in base64, at most 524288 bytes
        Needs instance:manage.
        """
        reply: Brand = self._api.call(
            "POST", "/api/branding/logo", fields={"content_type": content_type, "data": data}
        )
        return reply
