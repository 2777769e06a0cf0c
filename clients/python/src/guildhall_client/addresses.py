"""The address of a hall, and what every request carries."""

from urllib.parse import urlsplit

VERSION = "0.2.0"


def address_of(url: str) -> str:
    """Returns the address. Raises `ValueError` for what is none, or holds a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the address of a hall begins with http:// or https://, as in https://hall.example")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("the address of a hall has no name, password or query in it; the token is token=")
    return url.rstrip("/")


def headers_for(token: str | None) -> dict[str, str]:
    """Returns the headers of every request. Raises `ValueError` for what cannot be a token."""
    agent = {"User-Agent": f"guildhall-client/{VERSION}"}
    if token is None:
        return agent
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError("the token is malformed: it is one word of plain letters and digits")
    return {**agent, "Authorization": f"Bearer {token}"}
