"""The rows of the funnel, each room's own."""

from collections.abc import Awaitable, Callable, Mapping

from builtin_plugins.beta.assets import handlers as asset_handlers
from builtin_plugins.beta.assets import routes as asset_routes
from builtin_plugins.beta.experiences import handlers as experience_handlers
from builtin_plugins.beta.experiences import routes as experience_routes
from builtin_plugins.beta.home import handlers as home_handlers
from builtin_plugins.beta.home import routes as home_routes
from builtin_plugins.beta.page import handlers as page_handlers
from builtin_plugins.beta.page import routes as page_routes
from builtin_plugins.beta.prospects import handlers as prospect_handlers
from builtin_plugins.beta.prospects import routes as prospect_routes
from builtin_plugins.beta.signup import handlers as signup_handlers
from builtin_plugins.beta.signup import routes as signup_routes
from guildhall_sdk import Call, Reply, Route

ROUTES: tuple[Route, ...] = (
    *experience_routes.ROUTES,
    *asset_routes.ROUTES,
    *home_routes.ROUTES,
    *page_routes.ROUTES,
    *signup_routes.ROUTES,
    *prospect_routes.ROUTES,
)
HANDLERS: Mapping[str, Callable[[Call], Awaitable[Reply]]] = {
    **experience_handlers.HANDLERS,
    **asset_handlers.HANDLERS,
    **home_handlers.HANDLERS,
    **page_handlers.HANDLERS,
    **signup_handlers.HANDLERS,
    **prospect_handlers.HANDLERS,
}
