"""Solving a sign-up's challenge in Chromium, against the same hashes by WebAssembly (`hash-wasm`)."""

import secrets
import shutil
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from bench.report import Aim, Report
from bench.servers import ROOT, BenchFailed

NAME = "browser"
ROUNDS = 15
CHALLENGES = 4  # of each round: how many hashes one takes is a matter of luck
DIFFICULTY = 16

_PAGE = "http://bench.test/"
_SDK = ROOT / "builtin_plugins/beta/page/beta-sdk.js"
_HASH_WASM = ROOT / ".venv/browser-peers/node_modules/hash-wasm/dist/sha256.umd.min.js"
_OURS = """async (challenge) => {
  const began = performance.now();
  const solution = await Service.beta.solve(challenge);
  return [solution, performance.now() - began];
}"""
# The hashes that ours tries, in the same order: so it finds the same solution.
_THEIRS = """async ([nonce, zeros]) => {
  const hasher = await hashwasm.createSHA256();
  const message = new TextEncoder().encode(`${nonce}:${"0".repeat(zeros + 8)}`);
  const digits = message.subarray(message.length - 8), hex = new TextEncoder().encode("0123456789abcdef");
  const began = performance.now();
  for (let counter = 0; ; counter++) {
    for (let at = 7, rest = counter; at >= 0; at--, rest >>>= 4) digits[at] = hex[rest & 15];
    const digest = hasher.init().update(message).digest("binary");
    if (digest[0] === 0 && digest[1] === 0) {
      return [counter.toString(16).padStart(zeros + 8, "0"), performance.now() - began];
    }
  }
}"""


def run(report: Report) -> None:
    executable = shutil.which("chromium")
    if executable is None:
        raise BenchFailed("there is no chromium here; install it")
    if not _HASH_WASM.is_file():
        raise BenchFailed("there is no hash-wasm here; make bench installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            taken = _rounds(_opened(browser.new_page()))
        finally:
            browser.close()
    what = f"solving at difficulty {DIFFICULTY}, in a worker"
    report.compare(NAME, what, taken["ours"], "the same hashes by hash-wasm", taken["theirs"], Aim(2.0))
    for name, series in taken.items():
        report.reading(NAME, name, series, "ms")


def _opened(page: Page) -> Page:
    files = {"": "<!doctype html>", "sdk.js": _text(_SDK), "peer.js": _text(_HASH_WASM)}
    for name, body in files.items():
        kind = "text/javascript" if name else "text/html"
        page.route(_PAGE + name, _answer(body, kind))
    page.goto(_PAGE)
    for name in ("sdk.js", "peer.js"):
        page.add_script_tag(url=_PAGE + name)
    return page


def _text(file: Path) -> str:
    return file.read_text("utf-8")


def _answer(body: str, kind: str) -> Any:
    return lambda route: route.fulfill(body=body, content_type=f"{kind}; charset=utf-8")


def _rounds(page: Page) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {"ours": [], "theirs": []}
    _challenge(page)  # to warm up
    for _ in range(ROUNDS):
        pairs = [_challenge(page) for _ in range(CHALLENGES)]
        for name, times in zip(taken, zip(*pairs, strict=True), strict=True):
            taken[name].append(sum(times) / CHALLENGES)
    return taken


def _challenge(page: Page) -> tuple[float, float]:
    """Lets both solve one, and returns the milliseconds that each took."""
    nonce = secrets.token_hex(16)
    challenge = {"algorithm": "sha-256", "nonce": nonce, "difficulty": DIFFICULTY}
    solution, ours = page.evaluate(_OURS, challenge)
    same, theirs = page.evaluate(_THEIRS, [nonce, len(solution) - 8])
    if solution != same:
        raise BenchFailed(f"hash-wasm finds {same} where we find {solution}")
    return ours, theirs
