"""The headers of a file in a frame: it may load the files of its own bundle and nothing else."""

import re

# As a policy can name it: no address in brackets, and nothing that would end the source.
_HOST = re.compile(r"[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?")
_OWN_FILES = ("script-src", "style-src", "img-src", "font-src", "media-src", "connect-src", "worker-src")


def frame_headers(host: str, folder: str) -> dict[str, str]:
    """Returns the headers for a file of the bundle that is served below `folder` on `host`.

    `sandbox` holds where the address is opened in a window of its own too: there it would have our origin.
    The origin of a frame is opaque, so that its own files are those of another origin to it.
    """
    own = f"{host}{folder}" if _HOST.fullmatch(host) else "'self'"
    directives = [
        "default-src 'none'",
        *(f"{name} {own}{' data:' if name in ('img-src', 'font-src') else ''}" for name in _OWN_FILES),
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "sandbox allow-scripts",
    ]
    return {
        "Content-Security-Policy": "; ".join(directives),
        "X-Frame-Options": "SAMEORIGIN",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Access-Control-Allow-Origin": "null",
        "Cache-Control": "private, no-store",
    }
