"""The rows of the page's files. Where the page itself is served, its experience decides."""

from guildhall_sdk import Auth, Route

_FILES = (
    ("/beta-sdk.js", "sdk_script", "The browser's side of the sign-up: `window.Service.beta`", "javascript"),
    ("/beta/page.js", "page_script", "The script of the default page", "javascript"),
    ("/beta/page.css", "page_style", "The looks of the default page", "css"),
    ("/beta/page-without-script.css", "bare_style", "What the page shows where no script runs", "css"),
)
ROUTES = tuple(
    Route("GET", path, handler, doc, Auth.PUBLIC, content_type=f"text/{kind}", also_statuses=(304,))
    for path, handler, doc, kind in _FILES
)
