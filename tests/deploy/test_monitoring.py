"""The alerts and the dashboard name what the server exports, with the labels that it has."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from builtin_plugins.metrics.server import metrics_of_kernel
from guildhall_sdk import Metric
from guildhall_sdk.routes import Adapter
from tests.proofs.programs import environment, program

pytestmark = pytest.mark.any_database
ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/prometheus/guildhall.rules.yaml"
DASHBOARD = ROOT / "deploy/grafana/guildhall.json"
_NAME = re.compile(r"\b(?:guildhall|process)_[a-z_]+\b")
_SELECTED = re.compile(r"\b((?:guildhall|process)_[a-z_]+)\{([^}]*)\}")
_BY = re.compile(r"by \(([^)]*)\)")
#: What Prometheus adds, and what a histogram's buckets have.
_ADDED = {"job", "instance", "le"}


def expressions():
    for group in yaml.safe_load(RULES.read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


async def test_every_metric_and_label_that_is_named_is_exported(hall):
    families = (await hall.operator.get("/api/metrics")).json()["items"]
    of_kernel = metrics_of_kernel(hall.server.own_metrics.measures, hall.registry.declared(Adapter))
    declared = {one.name: {*one.labels} for one in of_kernel}
    declared |= {metric.name: {*metric.labels} for _, metric in hall.registry.owned(Metric)}
    known = {one["name"] for one in families} | {*declared}
    wrong = []
    for title, expression in expressions():
        names = {re.sub(r"_bucket$", "", name) for name in _NAME.findall(expression)}
        wrong += [f"{title}: {name}" for name in names - known]
        labels = {one.strip() for found in _BY.findall(expression) for one in found.split(",")}
        for _, selectors in _SELECTED.findall(expression):
            labels |= {one.group(1) for one in re.finditer(r"(\w+)\s*(?:=~|=|!=)", selectors)}
        of_these = {label for name in names for label in declared.get(name, ())}
        wrong += [f"{title}: {label}" for label in labels - of_these - _ADDED]
    assert wrong == []


def test_every_alert_says_what_to_look_at():
    rules = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    assert len({rule["alert"] for rule in rules}) == len(rules) >= 8
    for rule in rules:
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
        assert rule["annotations"]["summary"] and rule["annotations"]["look"]


def test_panels_do_not_lie_on_one_another():
    places = [
        (one["gridPos"]["x"], one["gridPos"]["y"]) for one in json.loads(DASHBOARD.read_text())["panels"]
    ]
    assert len({*places}) == len(places)


def test_prometheus_takes_the_rules():
    promtool = program("promtool")
    if promtool is None:
        pytest.skip("there is no promtool here: `make proofs` fetches it")
    words = [promtool, "check", "rules", RULES]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
