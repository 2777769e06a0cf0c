"""Fills a new hall by its API with some of everything: `python -m tests.upgrade.fill http://127.0.0.1:8080`."""

import sys
import time
from typing import Any

import httpx

PASSWORD = "a password of the upgrade test"
TEXT = "# Monday\nAda Lovelace wrote to Charles Babbage about the Analytical Engine in London.\n"
_WORKFLOW = {
    "slug": "count",
    "inputs": {"message": {"type": "string"}},
    "start": "words",
    "steps": [
        {"name": "words", "kind": "tool", "tool": "word_count", "with": {"text": {"$from": "input.message"}}}
    ],
}
_EXECUTOR = {
    "name": "elsewhere",
    "mode": "push",
    "model": "large",
    "url": "https://models.example/v1",
    "key": "not-a-key",
}


def fill(url: str) -> None:
    with httpx.Client(base_url=url, timeout=60, trust_env=False) as http:

        def call(method: str, path: str, body: Any = None, token: str | None = None) -> Any:
            headers = {"Authorization": f"Bearer {token or ada}"} if token or ada else {}
            sent = {"content": body} if isinstance(body, bytes) else {"json": body}
            answer = http.request(method, path, headers=headers, **sent)
            if answer.is_error:
                raise SystemExit(f"{method} {path}: {answer.status_code} {answer.text}")
            return answer.json() if answer.content else None

        ada = ""
        ada = call("POST", "/api/bootstrap", {"username": "ada", "password": PASSWORD})["token"]
        grace = call("POST", "/api/members", {"username": "grace", "role": "member", "password": PASSWORD})
        call("POST", "/api/notes", {"title": "For all", "body": "The hall is open.", "visibility": "team"})
        note = call("POST", "/api/notes", {"title": "For Grace", "body": "A plan."})
        share = {"user_id": grace["member"]["user_id"], "permission": "notes:write"}
        call("POST", f"/api/notes/{note['id']}/share", share)
        call("PUT", f"/api/notes/{note['id']}", {"body": "A better plan."})
        call("PUT", "/api/repo/minutes/monday.md", b"# Monday\nFirst.\n")
        call("PUT", "/api/repo/minutes/monday.md", TEXT.encode())
        call("PUT", "/api/repo/minutes/tuesday.md", b"# Tuesday\nNothing happened.\n")
        call("POST", "/api/documents", {"title": "Handbook", "body": "How we work."})
        call("POST", "/api/s3/credentials", {})
        call("POST", "/api/tokens", {"name": "reporting", "scope": ["notes:read"]})
        call("POST", "/api/ai/chat", {"prompt": "What is on Monday?"})
        call("POST", "/api/executors", _EXECUTOR)
        call("POST", "/api/glossary", {"target": "es", "term": "hall", "translation": "sala"})
        call("POST", "/api/features/chat", {"enabled": False})
        call("POST", "/api/workflows", _WORKFLOW)
        run = call("POST", "/api/workflows/count/run", {"input": {"message": "one two three"}})
        call("POST", "/api/doc-triggers", {"workflow_slug": "count", "match_prefix": "inbox/"})
        job = call(
            "POST", "/api/jobs", {"kind": "x.example-tools.word-count", "payload": {"text": "one two"}}
        )
        late = {"kind": "x.example-tools.word-count", "payload": {"text": "one two three"}}
        call("POST", "/api/jobs", {**late, "run_at": "2099-01-01T00:00:00Z"})
        for path in (f"/api/jobs/{job['id']}", f"/api/runs/{run['id']}"):
            while call("GET", path)["state"] in ("queued", "running", "pending"):
                time.sleep(0.1)


if __name__ == "__main__":
    fill(sys.argv[1])
