"""Somebody signs up in a real browser: from our page, from somebody else's, in a sandbox, at a slow pace."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.async_api import expect

from builtin_plugins.beta.signup import gate
from guildhall_sdk.services.identity import Vault
from guildhall_testing.browser import EXECUTABLE
from tests.browser.background import running_chromium

pytestmark = [pytest.mark.hall_databases("sqlite"), pytest.mark.hall_settings(SERVICE_HOME="beta")]

EXPERIENCE = {
    "fields": [
        {"name": "email", "type": "email", "label": "Work e-mail", "required": True},
        {"name": "site", "type": "url", "label": "Web site", "required": False},
        {
            "name": "size",
            "type": "select",
            "label": "Team size",
            "required": True,
            "options": ["1–10", "11+"],
        },
        {"name": "use", "type": "textarea", "label": "What for?", "required": False},
        {"name": "terms", "type": "checkbox", "label": "I agree", "required": True},
    ],
    "copy": {
        "en": {"title": "Join <us>", "subtitle": "Soon", "submit": "Ask", "thanks": "We write to you."},
        "nl": {
            "title": "Doe mee",
            "label_email": "Werkadres",
            "submit": "Vraag",
            "thanks": "Je hoort van ons.",
        },
        "is": {"title": "Vertu með", "submit": "Biðja", "thanks": "Við skrifum þér."},
    },
}
GUIDE = Path(__file__).resolve().parents[2] / "docs/beta-sdk.md"
REFUSED = ["Failed to load resource: the server responded with a status of 4"]


@pytest.fixture
async def funnel(hall):
    """Yields a hall with a published experience."""
    owner = hall.operator  # of the first company, whose page is shown wherever no other company is at home
    assert (await owner.put("/api/beta/experience", EXPERIENCE)).status_code == 200
    assert (await owner.post("/api/beta/experience/publish")).status_code == 200
    return hall


async def fill(place, email="ada@example.com"):
    """Fills the form in a page or a frame, but sends nothing."""
    await place.get_by_label("Work e-mail").fill(email)
    await place.get_by_label("Team size").select_option("11+")
    await place.get_by_label("What for?").fill("Two lines\nof use")
    await place.get_by_label("I agree").check()


async def prospects(funnel):
    return (await funnel.operator.get("/api/beta/prospects")).json()["items"]


async def only_prospect(funnel):
    (prospect,) = await prospects(funnel)
    return prospect


async def wait_for_thanks(place, text="We write to you."):
    await place.get_by_text(text, exact=True).first.wait_for()


async def test_a_visitor_signs_up_from_the_served_page(funnel, open_page):
    page = await open_page()
    await page.goto(funnel.base_url)
    assert await page.title() == "Join <us> · Guildhall"
    await fill(page)
    await page.get_by_role("button", name="Ask").click()
    await wait_for_thanks(page)
    found = await only_prospect(funnel)
    assert found["fields"] == {
        "email": "ada@example.com",
        "size": "11+",
        "use": "Two lines\nof use",
        "terms": True,
    }
    assert (found["locale"], found["signals"]["honeypot"]) == ("en", False)


async def test_a_visitor_signs_up_with_the_keyboard_alone(funnel, open_page):
    page = await open_page()
    await page.goto(funnel.base_url)
    await page.get_by_label("Work e-mail").focus()
    for keys in (["ada@example.com"], [], ["1"], ["Use"], [" "]):
        for text in keys:
            await page.keyboard.type(text)
        await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await wait_for_thanks(page)
    await expect(page.locator("#thanks")).to_be_focused()
    await expect(page.get_by_role("status")).to_have_text("You are on the list")


async def test_a_visitor_signs_up_on_plain_http_with_a_hostname(funnel, open_page):
    page = await open_page(allowed=["Cross-Origin-Opener-Policy"])  # which there is only over https
    await page.goto(funnel.base_url.replace("127.0.0.1", "hall.test"))
    assert await page.evaluate("[isSecureContext, crypto.subtle === undefined]") == [False, True]
    await fill(page)
    await page.get_by_role("button", name="Ask").click()
    await wait_for_thanks(page)
    assert await only_prospect(funnel)


async def test_a_visitor_signs_up_with_the_processor_slowed_six_times(funnel, open_page):
    page = await open_page()
    await page.goto(funnel.base_url)
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    await fill(page)
    await page.get_by_role("button", name="Ask").click()
    await wait_for_thanks(page)
    assert await only_prospect(funnel)


async def test_a_visitor_signs_up_in_a_sandboxed_frame_on_another_origin(funnel, other_site, open_page):
    html = f"""<!doctype html><link rel="icon" href="data:,">
      <iframe sandbox="allow-scripts allow-forms" src="{funnel.base_url}/beta/template"></iframe>"""
    page = await open_page()
    await page.goto(other_site.page("/", html))
    frame = page.frame_locator("iframe")
    await fill(frame)
    assert await frame.locator("body").evaluate("() => self.origin") == "null"
    await frame.get_by_role("button", name="Ask").click()
    await wait_for_thanks(frame)
    assert await only_prospect(funnel)


OWN_FORM = """<!doctype html><link rel="icon" href="data:,"><script src="{sdk}"></script><script>
  const said = (text) => document.body.append(document.createElement("p"), text);
  addEventListener("load", async () => {{
    try {{
      const {{ copy, fields }} = await Service.beta.config("nl");
      const given = {{ email: "own@example.com", size: "11+", terms: true }};
      await Service.beta.signup(given, {{ locale: "nl" }});
      said(`${{fields[0].label}}: ${{copy.thanks}}`);
    }} catch (error) {{
      said(`${{error.code}}: ${{error.message}} ${{JSON.stringify(error.errors)}}`);
    }}
  }});
</script><body>"""


@pytest.mark.parametrize("worker", ["blob:", "'none'"])
async def test_a_page_of_somebody_else_signs_up_with_the_sdk(funnel, other_site, open_page, worker):
    """In a sandboxed frame, where the page's policy lets the SDK have a worker, and where it does not."""
    policy = (
        f"sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline' {funnel.base_url}; "
        f"connect-src {funnel.base_url}; img-src data:; worker-src {worker}"
    )
    framed = other_site.page(
        "/form", OWN_FORM.format(sdk=f"{funnel.base_url}/beta-sdk.js"), Content_Security_Policy=policy
    )
    html = f"<!doctype html><link rel='icon' href='data:,'><iframe src='{framed}'></iframe>"
    page = await open_page(allowed=[] if worker == "blob:" else ["worker-src", "Creating a worker"])
    await page.goto(other_site.page("/", html))
    await wait_for_thanks(page.frame_locator("iframe"), "Werkadres: Je hoort van ons.")
    assert (await only_prospect(funnel))["locale"] == "nl"


async def test_the_sdk_refuses_in_the_visitors_language_and_by_label(funnel, other_site, open_page):
    """Also where the page asked for no words of its own before."""
    html = OWN_FORM.format(sdk=f"{funnel.base_url}/beta-sdk.js")
    html = html.replace('const { copy, fields } = await Service.beta.config("nl");', "")
    html = html.replace('email: "own@example.com", size: "11+"', 'email: "nobody", size: "none"')
    page = await open_page(allowed=REFUSED)
    await page.goto(other_site.page("/", html))
    said = page.get_by_text("invalid_request:")
    await said.wait_for()
    words = await said.inner_text()
    assert "Werkadres: Vul een e-mailadres in, zoals naam@example.com." in words
    assert "Team size: Kies een van de mogelijkheden." in words
    assert "must be" not in words and "/fields" not in words


async def test_the_preview_of_a_draft_says_that_it_is_one_and_signs_nobody_up(funnel, open_page):
    ticket = (await funnel.operator.post("/api/beta/experience/preview")).json()
    page = await open_page()
    await page.goto(funnel.base_url + ticket["url"])
    told = page.get_by_text("This is a preview of your draft: nobody is signed up here.")
    await told.first.wait_for()
    await fill(page)
    await page.get_by_role("button", name="Ask").click()
    await page.get_by_text("You are not signed up yet", exact=True).wait_for()
    await expect(told.nth(1)).to_be_attached()
    assert await prospects(funnel) == []


@pytest.mark.long_form  # both alone are shown by others: a page without a worker, and a slow one
async def test_slices_on_a_page_slowed_six_times_come_to_an_end(funnel, other_site, open_page):
    """Where there is no worker, which the browser would not slow."""
    policy = f"default-src 'unsafe-inline' {funnel.base_url}; img-src data:; worker-src 'none'"
    html = OWN_FORM.format(sdk=f"{funnel.base_url}/beta-sdk.js")
    page = await open_page(allowed=["worker-src", "Creating a worker"])
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    await page.goto(other_site.page("/", html, Content_Security_Policy=policy))
    await wait_for_thanks(page, "Werkadres: Je hoort van ons.")
    assert await only_prospect(funnel)


async def fill_the_gate(funnel):
    """Takes as many sign-ups from this address as the gate lets through."""
    origin = gate.Origin.of(funnel.server.service(Vault), "127.0.0.1")
    async with funnel.server.data.write() as writer:
        for number in range(gate.PER_ADDRESS):
            await gate.spend_nonce(writer, origin, f"taken {number}", funnel.clock.now_ms())


async def test_too_many_sign_ups_are_told_in_words_with_the_minutes(funnel, open_page):
    page = await open_page(allowed=REFUSED, locale="nl-NL")

    async def late(route):
        await fill_the_gate(funnel)
        await route.continue_()

    await page.route("**/api/beta/signup", late, times=1)
    await page.goto(funnel.base_url)
    await page.get_by_label("Werkadres").fill("ada@example.com")
    await page.get_by_label("Team size").select_option("11+")
    await page.get_by_label("I agree").check()
    await page.get_by_role("button", name="Vraag").click()
    cause = page.get_by_text(
        "Er kwamen te veel aanmeldingen vanaf jouw netwerk. Probeer het over 60 minuten opnieuw."
    )
    await cause.first.wait_for()
    await expect(page.get_by_role("button", name="Opnieuw proberen")).to_be_enabled()
    await expect(page.get_by_label("Werkadres")).to_have_value("ada@example.com")
    assert await prospects(funnel) == []


async def test_too_many_sign_ups_are_told_to_a_page_of_another_origin(funnel, other_site, open_page):
    page = await open_page(allowed=REFUSED)

    async def late(route):
        await fill_the_gate(funnel)
        await route.continue_()

    await page.route("**/api/beta/signup", late, times=1)
    await page.goto(other_site.page("/", OWN_FORM.format(sdk=f"{funnel.base_url}/beta-sdk.js")))
    said = page.get_by_text("rate_limited: Er kwamen te veel aanmeldingen vanaf jouw netwerk.")
    await said.wait_for()
    assert "60 minuten" in await said.inner_text()


async def test_a_double_click_sends_one_sign_up(funnel, open_page):
    page = await open_page()
    sent = []
    page.on("request", lambda request: sent.append(request.url.rpartition("/")[2]))
    await page.goto(funnel.base_url)
    await fill(page)
    sent.clear()
    await page.evaluate(
        "() => { const form = document.forms[0]; form.requestSubmit(); form.requestSubmit(); }"
    )
    await wait_for_thanks(page)
    assert sent == ["challenge", "signup"] or [one for one in sent if "-" not in one] == [
        "challenge",
        "signup",
    ]


async def test_faults_stand_at_their_fields_and_work_is_done_once(funnel, open_page):
    page = await open_page(allowed=REFUSED, locale="nl-NL")
    sent = []
    page.on("request", lambda request: sent.append(request.url.rpartition("/")[2]))
    await page.goto(funnel.base_url)
    sent.clear()
    ask = page.get_by_role("button", name="Vraag")
    await ask.click()
    email = page.get_by_label("Werkadres")
    await expect(email).to_be_focused()
    await expect(email).to_have_attribute("aria-invalid", "true")
    await expect(page.locator("#error-email")).to_have_text("Vul dit in om verder te gaan.")
    await expect(page.locator("#error-terms")).to_have_text("Vink dit aan om verder te gaan.")
    await expect(page.get_by_role("status")).to_have_text("Kijk 3 antwoorden nog eens na.")
    assert sent == []
    await email.fill("ada@localhost")  # an address to the browser, and none to the server
    await page.get_by_label("Team size").select_option("11+")
    await page.get_by_label("I agree").check()
    await ask.click()
    await page.get_by_text("Vul een e-mailadres in, zoals naam@example.com.").wait_for()
    await expect(email).to_be_focused()
    await email.fill("ada@example.com")
    await ask.click()
    await wait_for_thanks(page, "Je hoort van ons.")
    assert sent.count("challenge") == 1 and sent.count("signup") == 2


async def test_a_challenge_that_expired_is_fetched_anew_by_itself(funnel, open_page):
    page = await open_page(allowed=REFUSED)

    async def late(route):
        funnel.clock.advance(minutes=11)
        await route.continue_()

    await page.route("**/api/beta/signup", late, times=1)
    await page.goto(funnel.base_url)
    await fill(page)
    await page.get_by_role("button", name="Ask").click()
    await wait_for_thanks(page)
    assert await only_prospect(funnel)


async def test_an_unreachable_server_is_told_and_trying_again_helps(funnel, open_page):
    page = await open_page(allowed=["Failed to load resource: net::ERR_FAILED"])
    await page.route("**/api/beta/*", lambda route: route.abort(), times=1)
    await page.goto(funnel.base_url)
    await fill(page)
    await page.get_by_role("button", name="Ask").click()
    await page.get_by_text("The server cannot be reached.").first.wait_for()
    await page.get_by_role("button", name="Try again").click()
    await wait_for_thanks(page)
    assert await only_prospect(funnel)


async def test_a_visitor_can_stop_and_nothing_is_sent(funnel, open_page):
    page = await open_page()

    async def hard(route):
        await route.fulfill(
            json={
                "algorithm": "sha-256",
                "nonce": "a" * 32,
                "difficulty": 32,
                "expires_at": "2030-01-01T10:00:00.000Z",
                "signature": "f" * 64,
            }
        )

    await page.route("**/api/beta/challenge", hard)
    await page.goto(funnel.base_url)
    await fill(page)
    await page.get_by_role("button", name="Ask").click()
    await page.get_by_role("progressbar").wait_for()
    await page.get_by_role("button", name="Cancel").click()
    await page.get_by_text("You stopped before anything was sent.").first.wait_for()
    await expect(page.get_by_label("What for?")).to_have_value("Two lines\nof use")


async def test_without_javascript_the_page_says_what_to_do(funnel, open_page):
    page = await open_page(java_script_enabled=False)
    await page.goto(f"{funnel.base_url}/?locale=is")
    assert await page.get_by_role("heading", level=1).inner_text() == "Vertu með"
    notice = page.locator(".notice")
    assert await notice.is_visible() and "Kveiktu á JavaScript" in await notice.inner_text()
    assert not await page.locator("form").is_visible()


async def test_the_page_fits_a_small_phone_in_every_language(funnel, open_page):
    page = await open_page(viewport={"width": 360, "height": 640})
    for locale in ("en", "nl", "is"):
        await page.goto(f"{funnel.base_url}/?locale={locale}")
        assert await page.evaluate("document.documentElement.scrollWidth") == 360
        assert await page.locator("html").get_attribute("lang") == locale


async def test_a_sign_up_goes_on_in_a_background_tab(funnel, tmp_path):
    if shutil.which(EXECUTABLE) is None:
        pytest.skip("there is no chromium here")
    async with running_chromium(tmp_path) as chromium:
        tab = await chromium.open_tab(funnel.base_url)
        while not await tab("document.readyState === 'complete' && document.forms.length"):
            pass  # an empty document is there before the page
        await chromium.open_tab("about:blank")
        visibility, ticks = await tab(
            """(async () => {
              const give = (name, value) => { document.getElementById("field-" + name).value = value; };
              give("email", "ada@example.com");
              give("size", "11+");
              document.getElementById("field-terms").checked = true;
              document.forms[0].requestSubmit();
              let ticks = 0;
              const ticking = setInterval(() => ticks++, 10);
              await new Promise((done) => {
                const thanks = document.getElementById("thanks");
                new MutationObserver(() => thanks.hidden || done()).observe(thanks, { attributes: true });
              });
              clearInterval(ticking);
              return [document.visibilityState, ticks];
            })()"""
        )
    assert visibility == "hidden"
    assert ticks < 120  # a timer that ticks at most once a second there took no part in it
    assert await only_prospect(funnel)


async def test_the_example_of_the_guide_signs_somebody_up_from_another_site(hall, open_page, other_site):
    form = {"fields": [EXPERIENCE["fields"][0]], "copy": EXPERIENCE["copy"]}
    await hall.operator.put("/api/beta/experience", form)
    await hall.operator.post("/api/beta/experience/publish")
    (example,) = re.findall(r"```html\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    address = other_site.page(
        "/own", "<!doctype html>" + example.replace("https://hall.example", hall.base_url)
    )
    page = await open_page()
    async with page.expect_response("**/api/beta/signup") as answered:
        await page.goto(address)
    assert (await (await answered.value).json()) == {"status": "received"}
    assert (await only_prospect(hall))["locale"] == "nl"
