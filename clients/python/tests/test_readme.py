"""The README's examples, as they stand there, against a hall."""

import asyncio
import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[1] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)

pytestmark = [pytest.mark.any_database, pytest.mark.shared_server]


async def test_every_example_runs(hall, tmp_path, monkeypatch, capsys):
    executor = await hall.operator.post("/api/executors", {"name": "lanes", "mode": "pull"})
    payload = {"kind": "x.integrator-demo.lane-report", "payload": {"lane": "hamburg-shanghai"}}
    job = (await hall.acme.member.post("/api/jobs", payload)).json()
    tokens = {"token": hall.acme.member.token, "worker_token": executor.json()["worker_token"]}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "budget.csv").write_text("tea,12\n")
    assert len(EXAMPLES) > 5
    for example in EXAMPLES:
        code = compile(example.replace("https://hall.example", hall.base_url), str(README), "exec")
        await asyncio.to_thread(exec, code, {**tokens})
    said = capsys.readouterr().out
    assert "Minutes 20" in said and "done" in said and "not_found" in said and "/title" in said
    assert (tmp_path / "copy.csv").read_text() == "tea,12\n"
    done = (await hall.acme.member.get(f"/api/jobs/{job['id']}")).json()
    assert done["result"] == {"lane": "hamburg-shanghai", "days": 3}
