"""Somebody who works by keyboard alone: after each step it is seen where they are."""

# Where the focus is, and what is wrong with that: null where all is well. Headings and dialogs are where one
# arrives, and have no mark of their own.
_LOOK = """(found, wanted) => new Promise((resolve) => {
  window.lookedFor = found;
  const patience = performance.now() + 3_000;
  const deepest = () => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at;
  };
  const isMarked = (each) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  };
  const isSeen = (each) => {
    const { top, bottom, left, right, width, height } = each.getBoundingClientRect();
    return width * height > 1 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  };
  const amiss = (at) => {
    if (!at || at === document.body) return "nothing has the focus";
    const words = at.outerHTML.slice(0, 300);
    if (at.matches("h1, h2, main, iframe, [role=dialog], [role=alertdialog]")) return null;
    const around = [at];
    for (let each = at; around.length < 6 && each; each = each.parentElement ?? each.getRootNode().host)
      around.push(each);
    if (!around.slice(0, 4).some(isSeen)) return `out of sight: ${words}`;
    const active = document.getElementById(at.getAttribute("aria-activedescendant"));
    const marked = [...around, at.nextElementSibling, at.parentElement?.nextElementSibling, active];
    if (marked.some((each) => each && isMarked(each)) || active?.ariaSelected === "true") return null;
    return `has the focus and does not show it: ${words}`;
  };
  const look = () => {
    const at = deepest();
    const wrong = amiss(at);
    const isThere = found.includes(at);
    const isNowhere = at === document.body;
    const isDone = wanted === "there" ? isThere && !wrong : !wrong || (wanted === "passing" && isNowhere);
    if (isDone || performance.now() > patience) resolve({ wrong, isThere, isNowhere });
    else requestAnimationFrame(look);
  };
  look();
})"""
# Finding something by its role takes longer than looking where one is: it is found anew now and then.
_LOOK_ON = f"wanted => ({_LOOK})(window.lookedFor ?? [], wanted)"
_STOPS_BETWEEN = 10
_MAX_STOPS = 120


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


class Keyboard:
    """The keys of a page. Nothing else is used: what cannot be reached by them is not reached."""

    def __init__(self, page):
        self._page = page

    async def press(self, *keys):
        """Presses one key after the other."""
        for key in keys:
            await self._page.keyboard.press(key)
            await self.check_focus()

    async def write(self, text):
        """Types where the focus is."""
        await self._page.keyboard.type(text)
        await self.check_focus()

    async def rewrite(self, text):
        """Types in the place of all that stands where the focus is."""
        await self.press("ControlOrMeta+a")
        await self.write(text)

    async def check_focus(self):
        """Fails unless something has the focus, and shows it."""
        seen = await self._page.locator("html").evaluate_all(_LOOK, "")
        assert seen["wrong"] is None, seen["wrong"]

    async def arrived(self, what):
        """Waits until something has been given the focus, without a key."""
        await what.first.wait_for()
        seen = await self._looked_for(what, "there")
        assert seen["isThere"] and seen["wrong"] is None, f"the focus is not at {what}: {seen['wrong']}"

    async def reach(self, what, key="Tab"):
        """Goes from stop to stop until something has the focus; each stop shows where one is."""
        await what.first.wait_for()
        seen = await self._looked_for(what, "passing")
        for stop in range(_MAX_STOPS):
            if seen["isThere"]:
                return
            await self._page.keyboard.press(key)
            if stop % _STOPS_BETWEEN:
                seen = await self._page.evaluate(_LOOK_ON, "passing")
            else:
                seen = await self._looked_for(what, "passing")
            # From the last stop of a page to its first one passes by the browser itself.
            assert seen["wrong"] is None or seen["isNowhere"], seen["wrong"]
        raise AssertionError(f"no number of {key} leads to {what}")

    async def use(self, what, key="Enter"):
        """Goes to something and presses it."""
        await self.reach(what)
        await self.press(key)

    async def open_menu(self, button):
        """Opens a menu; its first entry has the focus then."""
        await self.use(button)
        await self.arrived(self._page.get_by_role("menuitem"))

    async def fill(self, field, text):
        """Goes to a field and types in the place of what stands there."""
        await self.reach(field)
        await self.rewrite(text)

    async def choose(self, button, option):
        """Opens a choice and takes one of its options by its first letters."""
        await self.use(button)
        await self._page.keyboard.type(option)
        await self.arrived(self._page.get_by_role("option", name=option, exact=False))
        await self.press("Enter")

    async def go(self, letter, heading):
        """Goes to a place by its letter."""
        await self._page.keyboard.press("g")
        await self._page.keyboard.press(letter)
        await self.arrived(self._page.get_by_role("heading", name=heading, level=1))

    async def command(self, name):
        """Does something by the palette."""
        palette = self._page.get_by_role("dialog", name="Command palette")
        await self._page.keyboard.press("Control+k")
        await self.arrived(palette.get_by_role("combobox"))
        await self.write(name)
        await palette.get_by_role("option", name=name, selected=True).wait_for()
        await self.press("Enter")

    async def _looked_for(self, what, wanted):
        return await what.evaluate_all(_LOOK, wanted)
