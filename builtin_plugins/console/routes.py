"""The rows of the console: its page under every address that people have of it, its files, its colours."""

from guildhall_sdk import Auth, Route
from guildhall_sdk.schema import string

_HTML = "text/html; charset=utf-8"
# The sign-up page can be asked for in a language; the console has its own ways.
_QUERY = {"locale": string(max_length=64, description="Of the sign-up page, such as nl-BE")}


def _page(path: str, doc: str, handler: str = "page") -> Route:
    return Route(
        "GET", path, handler, doc, Auth.PUBLIC, query=_QUERY, content_type=_HTML, also_statuses=(304,)
    )


ROUTES = (
    _page("/", "The console, or the sign-up page where SERVICE_HOME is beta.", "home"),
    _page("/index.html", "The console."),
    _page("/home", "The console, also where the root is the sign-up page."),
    _page("/login", "The console, sign-in first."),
    _page("/activate", "The console on its activation screen."),
    Route(
        "GET",
        "/theme.css",
        "theme",
        "The colours of this hostname as custom properties of CSS.",
        Auth.PUBLIC,
        content_type="text/css; charset=utf-8",
        also_statuses=(304,),
    ),
)
