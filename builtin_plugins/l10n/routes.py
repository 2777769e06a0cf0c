"""The rows of localization, each room's own."""

from collections.abc import Awaitable, Callable, Mapping

from builtin_plugins.l10n.catalogs import handlers as catalog_handlers
from builtin_plugins.l10n.catalogs import routes as catalog_routes
from builtin_plugins.l10n.drafts import handlers as draft_handlers
from builtin_plugins.l10n.drafts import routes as draft_routes
from builtin_plugins.l10n.messages import handlers as message_handlers
from builtin_plugins.l10n.messages import routes as message_routes
from guildhall_sdk import Call, Reply, Route

ROUTES: tuple[Route, ...] = (
    *catalog_routes.ROUTES,
    *message_routes.ROUTES,
    *draft_routes.ROUTES,
)
HANDLERS: Mapping[str, Callable[[Call], Awaitable[Reply]]] = {
    **catalog_handlers.HANDLERS,
    **message_handlers.HANDLERS,
    **draft_handlers.HANDLERS,
}
