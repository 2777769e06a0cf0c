"""A mixed load of two companies, which keeps what was acknowledged and tries again what was not."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Any

import httpx

#: What a caller may meet under a fault, and tries again; everything else is counted as wrong.
_AGAIN = {502, 503, 504}
_GIVE_UP_SECONDS = 120
_PAUSE_SECONDS = 0.1
_PAGE = 200
WORKFLOW = {
    "slug": "keep",
    "inputs": {"title": {"type": "string"}},
    "start": "write",
    "steps": [
        {
            "name": "write",
            "kind": "tool",
            "tool": "write_note",
            "with": {"title": {"$from": "input.title"}, "body": "From a run."},
        }
    ],
}


@dataclass
class Company:
    """A company with its token, and all that it was told to be done."""

    name: str
    token: str
    notes: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    jobs: dict[str, int] = field(default_factory=dict)
    runs: dict[str, str] = field(default_factory=dict)
    #: How many runs failed with the database, and were tried again in the end.
    retried: int = 0
    #: How many tools of runs were called once more: who called them first died before the step's end.
    repeated: int = 0


@dataclass
class Load:
    """Callers of all companies at one address; `wrong` is what no fault explains."""

    url: str
    companies: list[Company]
    #: Seconds of what was acknowledged, and when: the whole of each, with its repetitions.
    served: list[tuple[float, float]] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))

    async def run(self) -> None:
        # One connection for each request, as callers have that come from everywhere.
        limits = httpx.Limits(max_keepalive_connections=4)
        async with (
            httpx.AsyncClient(base_url=self.url, trust_env=False, timeout=30, limits=limits) as http,
            asyncio.TaskGroup() as callers,
        ):
            for company in self.companies:
                for one in (self._note, self._file, self._job, self._run, self._read):
                    callers.create_task(self._go_on(http, company, one))

    def stop(self) -> None:
        self._stopping.set()

    async def progress(self, acknowledged: int = 20, seconds: float = _GIVE_UP_SECONDS) -> float:
        """Waits until so much more was acknowledged; returns how long the first of it took."""
        begun, before = time.monotonic(), len(self.served)
        async with asyncio.timeout(seconds):
            while len(self.served) == before:  # noqa: ASYNC110 - until others are answered
                await asyncio.sleep(0.02)
            first = time.monotonic() - begun
            while len(self.served) < before + acknowledged:  # noqa: ASYNC110 - the same
                await asyncio.sleep(0.05)
        return first

    def longest_silence(self, since: float) -> float:
        """Returns the longest time in which nothing was acknowledged."""
        times = [since, *(at for at, _ in self.served if at >= since)]
        return max((after - before for before, after in pairwise(times)), default=0)

    async def _go_on(
        self,
        http: httpx.AsyncClient,
        company: Company,
        one: Callable[[httpx.AsyncClient, Company, int], Awaitable[None]],
    ) -> None:
        while not self._stopping.is_set():
            await one(http, company, next(self._numbers))
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _note(self, http: httpx.AsyncClient, company: Company, number: int) -> None:
        title = f"{company.name} note {number}"
        answer = await self.call(
            http, company, "POST", "/api/notes", {"title": title, "body": f"Of {company.name}."}
        )
        if answer is not None:
            company.notes[answer.json()["id"]] = title

    async def _file(self, http: httpx.AsyncClient, company: Company, number: int) -> None:
        key, content = f"proof/{number}.bin", f"{company.name} {number} ".encode() * 2500
        if await self.call(http, company, "PUT", f"/api/repo/{key}", content) is not None:
            company.files[key] = content

    async def _job(self, http: httpx.AsyncClient, company: Company, number: int) -> None:
        words = number % 7 + 1
        body = {"kind": "x.example-tools.word-count", "payload": {"text": "word " * words}}
        answer = await self.call(http, company, "POST", "/api/jobs", body)
        if answer is not None:
            company.jobs[answer.json()["id"]] = words

    async def _run(self, http: httpx.AsyncClient, company: Company, number: int) -> None:
        title = f"{company.name} run {number}"
        answer = await self.call(
            http, company, "POST", "/api/workflows/keep/run", {"input": {"title": title}}
        )
        if answer is not None:
            company.runs[answer.json()["id"]] = title

    async def _read(self, http: httpx.AsyncClient, company: Company, number: int) -> None:
        listed = await self.call(http, company, "GET", f"/api/notes?limit={number % 20 + 1}")
        others = [other for other in self.companies if other is not company]
        if listed is not None and any(other.name in listed.text for other in others):
            self.wrong.append(f"{company.name} was shown what is another's: {listed.text[:200]}")
        for other in others:
            if other.notes:
                note = next(reversed(other.notes))
                await self.call(http, company, "GET", f"/api/notes/{note}", expected=404)

    async def call(
        self,
        http: httpx.AsyncClient,
        company: Company,
        method: str,
        path: str,
        body: Any = None,
        expected: int | None = None,
    ) -> httpx.Response | None:
        """Asks until it is answered for good, always as the same request; None where that is wrong."""
        number = next(self._numbers)
        headers = {"Authorization": f"Bearer {company.token}"}
        if method == "POST":
            headers["Idempotency-Key"] = f"{company.name}-{number}"
        sent = {"content": body} if isinstance(body, bytes) else {"json": body} if body is not None else {}
        begun = time.monotonic()
        while time.monotonic() < begun + _GIVE_UP_SECONDS:
            try:
                answer = await http.request(method, path, headers=headers, **sent)
            except httpx.HTTPError as error:
                self.statuses[type(error).__name__] += 1
                await asyncio.sleep(0.2)
                continue
            self.statuses[str(answer.status_code)] += 1
            if answer.status_code == expected or (expected is None and answer.is_success):
                self.served.append((time.monotonic(), time.monotonic() - begun))
                return answer
            still_done = answer.status_code == 409 and "idempotency" in answer.text
            if answer.status_code not in _AGAIN and not still_done:
                self.wrong.append(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
                return None
            await asyncio.sleep(0.2)
        self.wrong.append(f"{method} {path}: nothing for {_GIVE_UP_SECONDS} s")
        return None


async def verify(http: httpx.AsyncClient, company: Company) -> list[str]:
    """Returns what is missing of what was acknowledged, and what was done more than once."""
    headers = {"Authorization": f"Bearer {company.token}"}

    async def get(path: str) -> httpx.Response:
        return (await http.get(path, headers=headers)).raise_for_status()

    async def all_of(path: str) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        cursor = ""
        while True:
            page = (await get(f"{path}?limit={_PAGE}{cursor}")).json()
            items += page["items"]
            if not page.get("next_cursor"):
                return items
            cursor = f"&cursor={page['next_cursor']}"

    wrong: list[str] = []
    for job, words in company.jobs.items():
        ended = await _ended(get, f"/api/jobs/{job}")
        if (ended["state"], (ended["result"] or {}).get("words")) != ("succeeded", words):
            wrong.append(f"job {job}: {ended['state']} {ended.get('error')}")
    for run in company.runs:
        ended = await _ended(get, f"/api/runs/{run}")
        if ended["state"] == "failed" and ended["error"]["code"] == "unavailable":
            # A step without `retry` fails with the database, and says so; whoever asked tries it again.
            again = await http.post(f"/api/runs/{run}/retry", json={}, headers=headers)
            company.retried += 1
            ended = await _ended(get, f"/api/runs/{again.raise_for_status().json()['id']}")
        if ended["state"] != "succeeded":
            wrong.append(f"run {run}: {ended['state']} {ended.get('error')}")
    notes = await all_of("/api/notes")
    titles = Counter(note["title"] for note in notes)
    ids = {note["id"] for note in notes}
    wrong += [f"note {title} is lost" for note, title in company.notes.items() if note not in ids]
    again = {title: found for title, found in titles.items() if found > 1}
    # A tool is called at least once: who died between what it did and the end of its step did it in vain.
    company.repeated = sum(again.pop(title, 1) - 1 for title in company.runs.values())
    wrong += [f"note {title} is there {found} times" for title, found in again.items()]
    wrong += [f"the note of {title} is lost" for title in company.runs.values() if title not in titles]
    wrong += [f"{title} is another's" for title in titles if not title.startswith(company.name)]
    stored = {item["key"]: item["id"] for item in await all_of("/api/repo")}
    for key, content in company.files.items():
        if key not in stored:
            wrong.append(f"file {key} is lost")
        elif (await get(f"/api/repo-obj/{stored[key]}/content")).content != content:
            wrong.append(f"file {key} is another")
    return wrong


async def _ended(get: Callable[[str], Awaitable[httpx.Response]], path: str) -> dict[str, Any]:
    async with asyncio.timeout(_GIVE_UP_SECONDS):
        while True:
            told: dict[str, Any] = (await get(path)).json()
            if told["state"] not in ("queued", "running", "pending", "waiting"):
                return told
            await asyncio.sleep(0.1)
