"""A person at the console: signed in by their token, at an address, with what a test looks for there."""

import json
from contextlib import asynccontextmanager
from pathlib import Path

AXE = Path(__file__).parents[2] / "console/node_modules/axe-core/axe.min.js"
#: What a refused request leaves on a browser's console, for journeys in which one is refused on purpose.
REFUSED = "Failed to load resource: the server responded with a status of"
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
# Once: a session that ends in this page stays ended after a reload. Not in frames, which have no storage.
_SIGN_IN = """
if (window === window.top && !sessionStorage.getItem("signed-in")) {
  sessionStorage.setItem("guildhall.session", %s);
  sessionStorage.setItem("signed-in", "1");
}
"""
# A service worker answers in the place of routes that a test lays: there is none but where it is the subject.
_WITHOUT_WORKER = "Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined });"
# What a page asked for and waits to be answered, to the end of what it reads whole.
_COUNT = """
{
  const send = window.fetch;
  let sent = 0;
  window.awaited = new Set();
  const await_ = (request, answer) => {
    window.awaited.add(request);
    return answer().finally(() => window.awaited.delete(request));
  };
  window.fetch = (...given) => await_(`${++sent} ${given[0]?.url ?? given[0]}`, () => send(...given));
  for (const whole of ["arrayBuffer", "blob", "json", "text"]) {
    const read = Response.prototype[whole];
    Response.prototype[whole] = function () {
      return await_(`${++sent} ${this.url}, ${whole}`, () => read.call(this));
    };
  }
}
"""
# A heading that is seen, nothing that still waits for an answer, and time to draw what came: some frames, or
# moments where none is drawn, as of a page that another one covers.
_SETTLED = """() => new Promise((resolve, reject) => {
  const say = () => `never settled: ${location}: drawn ${drawn} times, waits for ${[...window.awaited]}`
    + ` and ${document.querySelector("main [data-waiting]")?.className}`;
  setTimeout(() => reject(new Error(say())), 60_000);
  let calm = 0;
  let drawn = 0;
  const look = () => {
    drawn += 1;
    const isCalm = window.awaited.size === 0 && !document.querySelector("main [data-waiting]")
      && [...document.querySelectorAll("h1")].some((each) => each.checkVisibility());
    calm = isCalm ? calm + 1 : 0;
    if (calm > 3) return resolve();
    const frame = requestAnimationFrame(() => { clearTimeout(moment); look(); });
    const moment = setTimeout(() => { cancelAnimationFrame(frame); look(); }, 250);
  };
  look();
})"""
# Without what the components' library announces to screen readers, for a moment, by itself. Without frames:
# axe is not in them, and what it asks them goes to an origin that a sandbox does not have.
_AXE_RUN = """([within, only]) => axe.run(
  { include: [within], exclude: ['[data-live-announcer]'] },
  { resultTypes: ['violations'], iframes: false, ...only },
)"""
_IN_THE_DARK = {"runOnly": ["color-contrast"]}
_GRAVE = {"serious", "critical"}


class Visitor:
    """Opens the console of a hall in a browser."""

    def __init__(self, hall, open_page):
        self.hall, self._open_page, self._pages = hall, open_page, []

    async def open(self, client=None, path="/", *, works_offline=False, **options):
        """Opens the console at an address, signed in as somebody; `client` is None for nobody."""
        options = {"viewport": DESK, "locale": "en-GB", "reduced_motion": "reduce", **options}
        page = await self._open_page(**options)
        self._pages.append(page)
        await page.add_init_script(_COUNT)
        if not works_offline:
            await page.add_init_script(_WITHOUT_WORKER)
        if client is not None:
            session = json.dumps({"token": client.token, "expiresAt": None, "kept": False})
            await page.add_init_script(_SIGN_IN % json.dumps(session))
        await page.goto(self.hall.base_url + path)
        return page

    async def leave(self):
        """Closes all pages."""
        for page in self._pages:
            await page.close()


@asynccontextmanager
async def visiting(hall_opening, open_page):
    """A hall with its visitor, who leaves before it closes: a page whose server is gone complains."""
    async with hall_opening as hall:
        visitor = Visitor(hall, open_page)
        yield hall, visitor
        await visitor.leave()


async def serious_violations(page, only=None, within="html"):
    """Returns what axe finds serious on a page, each with the first elements that it concerns."""
    if not await page.evaluate("typeof window.axe === 'object'"):
        await page.evaluate(AXE.read_text("utf-8"))
    found = await page.evaluate(_AXE_RUN, [within, only or {}])
    return [
        (violation["id"], [node["html"][:200] for node in violation["nodes"][:3]])
        for violation in found["violations"]
        if violation["impact"] in _GRAVE
    ]


async def serious_violations_in_both_modes(page, within="html"):
    """As `serious_violations`, in light and then in dark, where the colours alone are others."""
    found = await serious_violations(page, within=within)
    await page.emulate_media(color_scheme="dark")
    found += [("dark", *violation) for violation in await serious_violations(page, _IN_THE_DARK, within)]
    await page.emulate_media(color_scheme="light")
    return found


async def wait_until(page, condition):
    """Waits until an expression holds. Playwright's own way evaluates a text in the page, as none may."""
    patience = "setTimeout(() => reject(new Error('never came true')), 60_000);"
    look = f"const look = () => (({condition}) ? resolve() : requestAnimationFrame(look)); look();"
    await page.evaluate(f"() => new Promise((resolve, reject) => {{ {patience} {look} }})")


async def go(page, path):
    """Goes to a screen as by a link, and waits until all of it is there."""
    await page.evaluate(
        "path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')); }", path
    )
    await page.evaluate(_SETTLED)


async def settled(page):
    """Waits until a screen has all that it asked for."""
    await page.evaluate(_SETTLED)
