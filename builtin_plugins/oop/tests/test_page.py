"""The page of the docs says what is so."""

import json
import re
import subprocess
import sys

from builtin_plugins.oop.grants import BY_METHOD, CATALOGUE
from builtin_plugins.oop.service import SETTINGS
from builtin_plugins.oop.tests.folders import EXAMPLES

PAGE = (EXAMPLES.parents[1] / "out-of-process-plugins.md").read_text("utf-8")


def test_the_page_names_every_capability_call_back_and_setting():
    variables = {one.variable or f"SERVICE_OOP_{one.name.upper()}" for one in SETTINGS}
    for name in (*CATALOGUE, *BY_METHOD, *variables):
        assert f"`{name}`" in PAGE, name


def test_the_exchange_on_the_page_is_what_the_example_says():
    (exchange,) = re.findall(r"<!-- exchange: note-finder -->\n```\n(.*?)```", PAGE, re.DOTALL)
    process = subprocess.Popen(
        ["node", "main.mjs"],
        cwd=EXAMPLES / "note-finder",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    for line in exchange.splitlines():
        direction, _, message = line.partition(" ")
        if direction == "→":
            process.stdin.write(message + "\n")
            process.stdin.flush()
        else:
            assert json.loads(process.stdout.readline()) == json.loads(message)
    process.stdin.close()
    assert process.wait(60) == 0


def test_a_server_without_such_plugins_loads_nothing_for_them():
    program = "\n".join(
        (
            "import sys, builtin_plugins.oop",
            "loaded = [name for name in sys.modules if name.startswith('builtin_plugins.oop.')]",
            "print(*sorted(loaded), 'libs.sandbox.isolation' in sys.modules)",
        )
    )

    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert loaded.split()[-1] == "False"
    for module in ("runner", "connection", "callbacks", "manifests", "messages"):
        assert f"builtin_plugins.oop.{module} " not in loaded
