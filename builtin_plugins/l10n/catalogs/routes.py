"""The rows of catalogs."""

from builtin_plugins.l10n.catalogs import schemas
from guildhall_sdk import Auth, Route

ROUTES = (
    Route(
        "GET",
        "/api/i18n/catalog",
        "read_catalog",
        "The texts of all screens in one language, each from the first of its chain that has it.",
        Auth.PUBLIC,
        query={"locale": schemas.LOCALE},
        reply=schemas.CATALOG,
    ),
    Route(
        "PUT",
        "/api/i18n",
        "change_localization",
        "Set the default language, and whether people may choose another.",
        permission="instance:manage",
        body=schemas.POLICY_CHANGE,
        reply=schemas.POLICY,
    ),
)
