"""Debian's Prometheus scrapes a server, takes the rules and answers the dashboard; an alert fires."""

import asyncio
import json
import re
import subprocess
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import yaml

from tests.process.conftest import serving
from tests.processes import free_port
from tests.proofs.programs import environment, needed, program

pytestmark = [pytest.mark.long_form, pytest.mark.any_database, needed("prometheus", "promtool")]
DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
RULES = DEPLOY / "prometheus/guildhall.rules.yaml"
DASHBOARD = json.loads((DEPLOY / "grafana/guildhall.json").read_text())
PATIENCE = 60


@contextmanager
def prometheus(folder, target, token):
    """Prometheus with our rules, whose alerts do not wait as long; it scrapes twice a second."""
    rules = re.sub(r"for: \w+", "for: 1s", RULES.read_text())
    (folder / "rules.yaml").write_text(rules)
    (folder / "token").write_text(token)
    job = {
        "job_name": "guildhall",
        "metrics_path": "/api/metrics",
        "authorization": {"credentials_file": str(folder / "token")},
        "static_configs": [{"targets": [target]}],
    }
    settings = {
        "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"},
        "rule_files": [str(folder / "rules.yaml")],
        "scrape_configs": [job],
    }
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(settings))
    checked = subprocess.run(
        [program("promtool"), "check", "config", folder / "prometheus.yaml"],
        capture_output=True,
        text=True,
        env=environment(),
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    address = f"127.0.0.1:{free_port()}"
    words = [f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program("prometheus"), *words, f"--web.listen-address={address}"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment(),
            cwd=folder,
        )
    try:
        yield f"http://{address}"
    finally:
        process.kill()
        process.wait()


class Asking:
    """The API of Prometheus."""

    def __init__(self, http):
        self._http = http

    async def get(self, path, **query):
        answer = await self._http.get(f"/api/v1/{path}", params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    async def until(self, true):
        """Waits until what a coroutine gives is true, and returns it."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    if found := await true():
                        return found
                except httpx.TransportError:  # it is starting
                    pass
                await asyncio.sleep(0.1)


async def test_prometheus_scrapes_a_server_and_tells_when_it_is_gone(hall_sites, hall_database, tmp_path):
    async with hall_sites.lease(hall_database) as site, serving(site) as server:
        target = server.base_url.removeprefix("http://")
        with prometheus(tmp_path, target, site.people.operator.token) as url:
            async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as http:
                asking = Asking(http)

                async def scraped():
                    (target,) = (await asking.get("targets"))["activeTargets"] or [{}]
                    return target.get("health") == "up"

                async def evaluated():
                    (group,) = (await asking.get("rules"))["groups"]
                    return all(rule["lastEvaluation"] > "2" for rule in group["rules"]) and group["rules"]

                async def drawn():
                    panels = DASHBOARD["panels"]
                    return [one["title"] for one in panels if await _series_of(asking, one)]

                async def all_drawn():  # a rate wants two looks
                    titles = await drawn()
                    return "Requests a second" in titles and len(titles) > len(DASHBOARD["panels"]) / 2

                async def fires():
                    alerts = (await asking.get("alerts"))["alerts"]
                    return [one for one in alerts if one["state"] == "firing"]

                await asking.until(scraped)
                rules = await asking.until(evaluated)
                assert [(rule["name"], rule["lastError"]) for rule in rules if rule["health"] != "ok"] == []
                assert len(rules) >= 8
                await asking.until(all_drawn)
                server.signal()
                await server.exit_code()
                fired = await asking.until(fires)
                assert "GuildhallDown" in {one["labels"]["alertname"] for one in fired}
                assert all(one["annotations"]["look"] for one in fired)


async def _series_of(asking, panel):
    """How many series the questions of a panel have; each of them is understood."""
    found = 0
    for target in panel["targets"]:
        question = target["expr"].replace("$__rate_interval", "10s").replace("$__range", "1m")
        found += len((await asking.get("query", query=question))["result"])
    return found
