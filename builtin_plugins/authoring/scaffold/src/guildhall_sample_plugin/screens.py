"""A screen of the console: `screens/` holds its source, `console/dist/` what Vite makes of it."""

from collections.abc import Sequence
from pathlib import Path

from guildhall_sdk import hookimpl
from guildhall_sdk.services.localization import MessageCatalogs
from guildhall_sdk.services.pages import Screen


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return [
        Screen(
            "sample-plugin",
            "/sample-plugin",
            "sample-plugin.title",
            "puzzle",
            "work",
            order=500,
            permission="search",
        ),
    ]


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    locales = Path(__file__).with_name("locales")
    return [MessageCatalogs(namespace="sample-plugin", folder=locales)]
