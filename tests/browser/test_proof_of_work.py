"""The SDK's own SHA-256 and its search, in a browser: right, cancellable, and no burden on the page."""

import hashlib
import json

import pytest

HASH = "(messages) => messages.map((message) => Service.beta.sha256(message))"
SOLVE = "(challenge) => Service.beta.solve(challenge)"


@pytest.fixture
async def sdk_page(shared_hall, other_site, open_page):
    """Opens a page elsewhere that loads the SDK, under a policy or none."""

    async def opened(policy=None, allowed=()):
        headers = {"Content_Security_Policy": policy.format(shared_hall.base_url)} if policy else {}
        sdk = f"{shared_hall.base_url}/beta-sdk.js"
        html = f"<!doctype html><link rel=icon href='data:,'><script src='{sdk}'></script>"
        page = await open_page(allowed=allowed)
        await page.goto(other_site.page("/", html, **headers))
        return page

    return opened


@pytest.mark.hall_databases("sqlite")
async def test_the_hash_is_the_one_of_python_at_every_length_around_a_block(sdk_page):
    page = await sdk_page()
    messages = ["x" * length for length in (*range(130), 1000)] + ["árvíztűrő ☃ 𝄞"]
    assert await page.evaluate(HASH, messages) == [
        hashlib.sha256(message.encode()).hexdigest() for message in messages
    ]


NO_WORKER = "default-src 'none'; script-src {0}; img-src data:; worker-src 'none'"


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("policy", [None, NO_WORKER], ids=["in a worker", "in slices"])
async def test_a_solution_has_the_zero_bits_wherever_the_nonce_ends(sdk_page, policy):
    page = await sdk_page(policy, allowed=["worker-src", "Content Security Policy"])
    for length in (0, 1, 31, 32, 43, 44, 45, 46, 47, 48, 50, 54, 55, 62, 63, 64, 65, 100):
        nonce = "n" * length
        solution = await page.evaluate(SOLVE, {"algorithm": "sha-256", "nonce": nonce, "difficulty": 8})
        digest = hashlib.sha256(f"{nonce}:{solution}".encode()).hexdigest()
        assert digest.startswith("00"), (length, solution)
        assert len(solution) <= 72


@pytest.mark.hall_databases("sqlite")
@pytest.mark.parametrize("policy", [None, NO_WORKER], ids=["in a worker", "in slices"])
async def test_work_tells_how_far_it_is_and_stops_when_it_is_cancelled(sdk_page, policy):
    page = await sdk_page(policy, allowed=["worker-src", "Content Security Policy"])
    reports, code = await page.evaluate(
        """async () => {
          const stopping = new AbortController(), reports = [];
          const onProgress = (progress) => {
            reports.push(progress.fraction);
            if (reports.length === 4) stopping.abort();
          };
          const challenge = { algorithm: "sha-256", nonce: "never", difficulty: 32 };
          const options = { onProgress, signal: stopping.signal };
          const refused = await Service.beta.solve(challenge, options).catch((error) => error);
          return [reports, refused.code];
        }"""
    )
    assert code == "cancelled"
    assert reports == sorted(reports) and len(set(reports)) > 2 and all(0 <= one < 1 for one in reports)


@pytest.mark.hall_databases("sqlite")
async def test_slices_leave_the_page_responsive(sdk_page):
    page = await sdk_page(NO_WORKER, allowed=["worker-src", "Content Security Policy"])
    waits = await page.evaluate(
        """async () => {
          const stopping = new AbortController();
          const challenge = { algorithm: "sha-256", nonce: "never", difficulty: 32 };
          const working = Service.beta.solve(challenge, { signal: stopping.signal }).catch(() => {});
          const waits = [];
          for (let turn = 0; turn < 30; turn++) {
            const began = performance.now();
            await new Promise((done) => setTimeout(done, 0));
            waits.push(performance.now() - began);
          }
          stopping.abort();
          await working;
          return waits.sort((a, b) => a - b);
        }"""
    )
    assert waits[len(waits) // 2] < 50


@pytest.mark.hall_databases("sqlite")
async def test_messages_are_put_together_as_icu_means_them(sdk_page):
    page = await sdk_page()
    messages = {
        "plain": "Wait {minutes} of '{'minutes'}', it''s l'attente",
        "plural": "{minutes, plural, =0 {now} one {in # minute} other {in # minutes}}, {name}",
        "absent": "a{nothing}b",
    }
    said = await page.evaluate(
        f"""() => {{
          Service.beta.speak("en", {json.dumps(messages)});
          const say = Service.beta.text;
          return [say("plain", {{ minutes: 3 }}), say("plural", {{ minutes: 0, name: "Ada" }}),
            say("plural", {{ minutes: 1, name: "Ada" }}), say("plural", {{ minutes: 1200, name: "Ada" }}),
            say("absent"), say("unknown")];
        }}"""
    )
    assert said == [
        "Wait 3 of {minutes}, it's l'attente",
        "now, Ada",
        "in 1 minute, Ada",
        "in 1,200 minutes, Ada",
        "ab",
        None,
    ]
