"""The SDK's `Onboarding`: the funnel's page for whoever serves the root."""

from typing import cast

from builtin_plugins.beta.experiences.current import Experiences, Funnel
from builtin_plugins.beta.experiences.drafts import draft_of
from builtin_plugins.beta.experiences.public import slice_for, slice_of
from builtin_plugins.beta.home.filled import FilledPage, FilledPages
from builtin_plugins.beta.home.settings import HOME
from guildhall_sdk import Call, Host, Reply
from guildhall_sdk.services.onboarding import Home

# A template is HTML of a team, scripts and all. In this sandbox its origin is nobody's: it reads nothing of
# this site, and calls only what every other site may call. So any page may frame it.
SANDBOX_CSP = (
    "sandbox allow-scripts allow-forms; default-src 'none'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; "
    "worker-src blob:; form-action 'none'; base-uri 'none'; frame-ancestors *"
)
# In the console's own frame; whoever fills in the form there is no visitor.
PREVIEW_CSP = SANDBOX_CSP.replace("connect-src 'self'", "connect-src 'none'").replace(
    "frame-ancestors *", "frame-ancestors 'self'"
)
_HEADERS = {"Cache-Control": "no-cache", "Vary": "Host, Accept-Language"}


class FunnelPages:
    """Implements the SDK's `Onboarding`."""

    def __init__(self, host: Host) -> None:
        self._host = host
        # Where the page stands at the root, the console begins beside it.
        self._pages = FilledPages(sign_in="/home" if self.home == "beta" else None)

    @property
    def home(self) -> Home:
        return cast(Home, self._host.setting(HOME))

    async def page(self, call: Call) -> Reply:
        view = await slice_for(call)
        page = await self._pages.template(view) or await self._pages.default(view)
        return _reply(page, page.csp or SANDBOX_CSP)

    async def sandboxed(self, call: Call) -> Reply:
        """Returns the team's template, else the default page, in the sandbox that any page may frame."""
        view = await slice_for(call)
        return _reply(await self._pages.template(view) or await self._pages.default(view), SANDBOX_CSP)

    async def preview(self, call: Call, team_id: str) -> Reply:
        """Returns the page that a team's saved draft makes, or that it begins with."""
        seed = call.service(Experiences).seed()
        async with call.read() as reader:
            draft = await draft_of(reader, team_id, seed)
        view = await slice_of(call, Funnel(document=draft.document, team_id=team_id))
        page = await self._pages.template(view) or await self._pages.default(view)
        return Reply(
            headers={"Cache-Control": "private, no-store", "Content-Security-Policy": PREVIEW_CSP},
            content=page.html,
            content_type="text/html; charset=utf-8",
        )


def _reply(page: FilledPage, csp: str) -> Reply:
    return Reply(
        headers={**_HEADERS, "Content-Security-Policy": csp},
        etag=page.etag,
        content=page.html,
        content_type="text/html; charset=utf-8",
    )
