"""What docs/ai.md shows works as it stands there, against a real process and without a model."""

import json
import re
import subprocess

from tests.test_readme import ROOT, bash_blocks, post, serving


def test_the_examples_of_the_page_on_ai_work(tmp_path):
    with serving(tmp_path) as base_url:
        bootstrap = {"username": "ada", "password": "difference engine"}
        token = post(f"{base_url}/api/bootstrap", bootstrap)["token"]
        script = "set -euo pipefail\n" + "\necho\n".join(bash_blocks(ROOT / "docs/ai.md"))
        script = script.replace("http://127.0.0.1:8080", base_url)
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, text=True, timeout=60, env={"TOKEN": token}
        )
    assert done.returncode == 0, done.stderr
    answers = [
        json.loads(line) for line in re.findall(r"^\{.*\}", done.stdout.replace("}{", "}\n{"), re.MULTILINE)
    ]
    chat, later, invoice, bridge, job, agent, model, executors, roles, usage, people = answers
    assert chat["simulated"] and later["simulated"] and "simulated" in chat["reply"].splitlines()[0]
    *_, streamed, followed = re.findall("^event: (.*)$", done.stdout, re.MULTILINE)
    assert (streamed, followed) == ("done", "done")  # the delta before the latter was seen: Last-Event-ID
    assert (job["state"], job["result"]["reply"]) == ("succeeded", chat["reply"])
    assert agent["steps"][0]["result"] == {"lane": "rotterdam-newyork", "days": 11}
    assert invoice["parsed"] == {"customer": "Ada Lovelace", "total": 1234.5, "date": "2024-03-01"}
    assert bridge["reply"].endswith("Ours keeps the bridge.")
    assert (model["model"], model["executor"]) == ("simulated", "local")
    assert [one["name"] for one in executors["items"]] == ["local"]
    assert roles["default"] == {"utility": "local"}
    used = {item["dimension"]: item["used"] for item in usage["items"] if item["level"] == "team"}
    assert used["ai.requests"] == 8
    assert [(one["name"], one["requests"], one["tokens"]) for one in people["items"]] == [
        ("ada", 8, used["ai.tokens.total"])
    ]
    assert f"model,simulated,simulated,8,{used['ai.tokens.total']}" in done.stdout
