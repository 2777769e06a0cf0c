"""Web Push in a real browser: what is pushed is shown, and the browser is registered while somebody wants it.

A subscription wants the push service of the browser's maker, which no test reaches: one of its own does.
"""

import asyncio
import json

import pytest
from playwright.async_api import expect

from builtin_plugins.web_push.devices import DEVICES, EXAMPLE
from tests.console.visitor import REFUSED, serious_violations_in_both_modes, settled, visiting, wait_until

pytestmark = pytest.mark.hall_databases("sqlite")
WANTED = {"notes.shared": {"push": True}}
SWITCH = "In the browser: A note is shared with me"
ALWAYS = "This browser shows what is new, even while none of these pages is open."
# A literal address: nothing asks for a name.
SUBSCRIPTION = {**EXAMPLE, "endpoint": "https://93.184.216.34/send/abc", "expirationTime": None}
# In the page and in its worker alike: one subscription, and what was done with it.
SUBSCRIBES = """(written) => {
  let held = null;
  self.done = [];
  PushManager.prototype.getSubscription = async () => held;
  PushManager.prototype.subscribe = async ({ applicationServerKey, userVisibleOnly }) => {
    const text = atob(applicationServerKey.replaceAll("-", "+").replaceAll("_", "/"));
    const key = Uint8Array.from(text, (letter) => letter.charCodeAt(0)).buffer;
    self.done.push(`subscribed ${applicationServerKey} ${userVisibleOnly}`);
    held = { options: { applicationServerKey: key }, toJSON: () => written, unsubscribe };
    return held;
  };
  async function unsubscribe() {
    self.done.push("unsubscribed");
    held = null;
    return true;
  }
}"""
# The shell says no to a page, whatever was granted.
ALLOWED = "Object.defineProperty(Notification, 'permission', { get: () => 'granted' });"
# The shell keeps no notifications that it gives back: what it is asked to show is all there is to see.
SHOWS = """() => {
  self.shown = [];
  ServiceWorkerRegistration.prototype.showNotification = async (title, { tag, data }) => {
    self.shown.push([title, tag, data.link]);
  };
}"""
SHOWN = """(wanted) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error(`shown: ${JSON.stringify(self.shown)}`)), 60_000);
  const look = () => (self.shown.length >= wanted ? resolve(self.shown) : setTimeout(look, 10));
  look();
})"""


async def opened(visitor, person):
    """Opens the console in a browser that may show notifications, with its worker at work."""
    page = await visitor.open(person, works_offline=True, allowed=["Push API in incognito mode"])
    await page.add_init_script(ALLOWED)
    await page.goto(f"{visitor.hall.base_url}/inbox")
    await page.keyboard.press("Tab")
    await wait_until(page, "navigator.serviceWorker.controller !== null")
    await settled(page)
    return page


async def own_session(hall):
    """Returns the member in another session, so that they can still be asked when it is gone."""
    return await hall.with_token(hall.acme.member, kind="session")


async def test_what_is_pushed_is_shown_with_its_text_and_where_it_leads(hall, visitor):
    page = await opened(visitor, hall.acme.member)
    [worker] = page.context.service_workers
    await worker.evaluate(SHOWS)
    devtools = await page.context.new_cdp_session(page)
    known = asyncio.get_running_loop().create_future()

    def hear(told):
        for one in told["registrations"]:
            if one["scopeURL"].startswith(hall.base_url) and not one["isDeleted"] and not known.done():
                known.set_result(one["registrationId"])

    devtools.on("ServiceWorker.workerRegistrationUpdated", hear)
    await devtools.send("ServiceWorker.enable")
    async with asyncio.timeout(60):
        registration = await known
    message = {"id": "ntf_1", "text": "Ada shared the note “The plan” with you.", "link": "/notes"}
    pushed = {"origin": hall.base_url, "registrationId": registration, "data": json.dumps(message)}
    await devtools.send("ServiceWorker.deliverPushMessage", pushed)
    assert await worker.evaluate(SHOWN, 1) == [[message["text"], "ntf_1", "/notes"]]


@pytest.mark.long_form
async def test_a_browser_is_registered_when_somebody_chooses_it_and_no_more_when_they_do_not(hall, visitor):
    member = hall.acme.member
    page = await opened(visitor, member)
    await page.evaluate(SUBSCRIBES, SUBSCRIPTION)
    switch = page.get_by_role("switch", name=SWITCH)
    await switch.press("Space")
    await page.get_by_text(ALWAYS).wait_for()
    listed = (await member.get(DEVICES)).json()
    assert [one["current"] for one in listed["items"]] == [True]
    await wait_until(page, f"String(self.done) === 'subscribed {listed['public_key']} true'")
    await settled(page)
    assert await serious_violations_in_both_modes(page) == []
    async with page.expect_response(lambda answer: answer.request.method == "DELETE") as removed:
        await switch.press("Space")
    assert (await removed.value).status == 204
    await wait_until(page, "self.done.length === 2")
    assert (await member.get(DEVICES)).json()["items"] == []
    assert (await page.evaluate("self.done"))[1] == "unsubscribed"
    await expect(page.get_by_text(ALWAYS)).to_have_count(0)


@pytest.mark.long_form
async def test_a_browser_whose_person_signs_out_is_subscribed_no_more(hall, visitor):
    member = hall.acme.member
    page = await opened(visitor, await own_session(hall))
    [worker] = page.context.service_workers
    await page.evaluate(SUBSCRIBES, SUBSCRIPTION)
    await worker.evaluate(SUBSCRIBES, SUBSCRIPTION)
    await worker.evaluate(
        "self.registration.pushManager.subscribe({ applicationServerKey: '' }).then(() => 0)"
    )
    await page.get_by_role("switch", name=SWITCH).press("Space")
    await page.get_by_text(ALWAYS).wait_for()
    assert [one["current"] for one in (await member.get(DEVICES)).json()["items"]] == [False]
    await page.get_by_role("button", name="Account:").click()
    await page.get_by_role("menuitem", name="Sign out").click()
    await page.get_by_label("Username").wait_for()
    ended = SHOWN.replace("self.shown", "self.done")
    # Its push service knows it no more from now on; the server's row goes with the session.
    assert (await worker.evaluate(ended, 2))[1] == "unsubscribed"


async def test_a_page_that_nobody_looks_at_has_its_worker_show_what_is_new(hall, visitor):
    await hall.acme.member.put("/api/notification-settings", WANTED)
    page = await opened(visitor, hall.acme.member)
    await page.evaluate(SHOWS)
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })")
    body = {"user_id": hall.acme.member.user_id, "permission": "notes:read"}
    async with asyncio.timeout(60):
        # The page hears what comes after it began to listen, which nobody sees from outside.
        while not await page.evaluate("self.shown.length"):
            note = (await hall.acme.colleague.post("/api/notes", {"title": "The plan"})).json()
            await hall.acme.colleague.post(f"/api/notes/{note['id']}/share", body)
    items = (await hall.acme.member.get("/api/notifications")).json()["items"]
    assert (await page.evaluate("self.shown"))[0] in [[one["text"], one["id"], one["link"]] for one in items]


# Browsers that are unlike this one, by what the test keeps in the page's storage.
UNLIKE = """
const allow = (said) => {
  Object.defineProperty(Notification, "permission", { configurable: true, get: () => said });
};
({
  insecure: () => Object.defineProperty(window, "isSecureContext", { get: () => false }),
  missing: () => delete window.Notification,
  refused: () => allow("denied"),
  unasked: () => { allow("default"); Notification.requestPermission = async () => allow("granted"); },
  no_service: () => allow("granted"),
})[sessionStorage.getItem("unlike")]?.();
"""


@pytest.mark.long_form
async def test_somebody_reads_why_their_browser_shows_nothing_and_what_to_do(hall, visitor):
    await hall.acme.member.put("/api/notification-settings", WANTED)
    page = await visitor.open(hall.acme.member, "/inbox")
    await page.add_init_script(UNLIKE)

    async def told_by(browser, words):
        await page.evaluate("browser => sessionStorage.setItem('unlike', browser)", browser)
        await page.reload()
        await page.get_by_role("status").filter(has_text=words).wait_for()

    await told_by("insecure", "did not come by https")
    await told_by("missing", "add this page to the home screen")
    await told_by("refused", "in a private window they stay refused")
    await told_by("no_service", "only while one of these pages is open")
    await told_by("unasked", "has not been asked yet")
    await settled(page)
    assert await serious_violations_in_both_modes(page) == []
    await page.get_by_role("button", name="Ask the browser").click()
    await page.get_by_text("it cannot reach its push service").wait_for()


async def test_a_server_that_does_not_push_has_the_page_show_what_is_new(open_hall, open_page):
    async with visiting(open_hall(SERVICE_PLUGINS_BLOCKED="web-push"), open_page) as (hall, visitor):
        await hall.acme.member.put("/api/notification-settings", WANTED)
        page = await visitor.open(hall.acme.member, "/inbox", allowed=[REFUSED])
        await page.add_init_script(ALLOWED)
        await page.reload()
        words = "This browser shows what is new while one of these pages is open."
        await page.get_by_text(words).wait_for()
