"""Pull workers that cost little: `pull_workers.py PORT`, the first line on stdin their tokens as a JSON list.

Every further line is a number of jobs that wait: the workers claim and complete them all, each over a
keep-alive connection of its own, and the answer is a line with the seconds per job.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from bench.servers import BenchFailed, Server

KIND = "x.integrator-demo.lane-report"
_RESULT = {"lane": "hamburg-shanghai", "days": 32}


class Worker:
    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._token = token
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._asked = 0

    async def work(self) -> int:
        """Until there is nothing to claim; how many it did."""
        done = 0
        while True:
            status, job = await self._post("/api/workers/claim", {"kinds": [KIND]})
            if status == 204:
                return done
            end = {"claim_token": job["claim_token"], "result": _RESULT}
            status, _ = await self._post(f"/api/workers/jobs/{job['id']}/complete", end)
            if status != 200:
                sys.exit(f"a completion answered {status}")
            done += 1

    async def _post(self, path: str, body: object) -> tuple[int, dict[str, str]]:
        if self._writer is None or self._asked >= 900:
            if self._writer is not None:
                self._writer.close()
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
            self._asked = 0
        assert self._reader is not None
        self._asked += 1
        content = json.dumps(body).encode()
        self._writer.write(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head[9:12])
        _, _, after = head.partition(b"content-length:")
        length = int(after.partition(b"\r\n")[0] or 0)
        answer = await self._reader.readexactly(length)
        if status not in (200, 204):
            sys.exit(f"{path} answered {status}: {answer[:300]!r}")
        return status, json.loads(answer) if answer else {}

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None


@contextmanager
def pulling_workers(server: Server, tokens: Sequence[str], asker: str) -> Iterator[Callable[[int], float]]:
    """Yields `pull(many)`: asks for so many jobs and has them done; returns the seconds per job."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.pull_workers", str(server.port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    sent, answers = process.stdin, process.stdout
    sent.write(json.dumps(list(tokens)) + "\n")

    def pull(many: int) -> float:
        for _ in range(many):
            body = {"kind": KIND, "payload": {"lane": "hamburg-shanghai"}}
            server.ask("POST", "/api/jobs", body, asker)
        sent.write(f"{many}\n")
        sent.flush()
        answer = answers.readline()
        if not answer:
            raise BenchFailed("the pull workers stopped")
        return float(answer)

    try:
        yield pull
    finally:
        sent.close()
        process.wait(10)
        answers.close()


async def main() -> None:
    loop = asyncio.get_running_loop()
    workers = [Worker(int(sys.argv[1]), token) for token in json.loads(sys.stdin.readline())]
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        began = time.perf_counter()
        done = sum(await asyncio.gather(*(worker.work() for worker in workers)))
        seconds = time.perf_counter() - began
        for worker in workers:
            worker.close()
        if done != int(line):
            sys.exit(f"{done} jobs were done instead of {line.strip()}")
        print(seconds / done, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
