"""The TypeScript client: compiled with all checks, and run by Node against a hall, as its examples are."""

import asyncio
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

CLIENT = Path(__file__).resolve().parents[1]
COMPILER = CLIENT.parents[1] / "console/node_modules/typescript/bin/tsc"
EXAMPLES = re.findall(r"```ts\n(.*?)```", (CLIENT / "README.md").read_text("utf-8"), re.DOTALL)
TOKEN = (
    "const { HALL, TOKEN: token } = (globalThis as unknown as { process: { env: Record<string, string> } })"
)

pytestmark = [
    pytest.mark.any_database,
    pytest.mark.skipif(
        not COMPILER.exists() or not shutil.which("node"), reason="the console is not built here"
    ),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The client as JavaScript, with the journey and the examples beside it."""
    folder = tmp_path_factory.mktemp("typescript")
    shutil.copytree(CLIENT / "src", folder / "src")
    shutil.copytree(CLIENT / "tests", folder / "tests", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for number, example in enumerate(EXAMPLES):
        text = example.replace('"@guildhall/client"', '"../src/index.js"').replace(
            '"https://hall.example"', "HALL!"
        )
        first, _, rest = text.partition(";\n")
        (folder / f"tests/example{number}.ts").write_text(f"{first};\n{TOKEN}.process.env;\n{rest}")
    (folder / "package.json").write_text('{"type": "module"}')
    settings = (CLIENT / "tsconfig.json").read_text()
    settings = settings.replace('"rootDir": "src"', '"rootDir": "."').replace(
        '"include": ["src"]', '"include": ["."]'
    )
    (folder / "tsconfig.json").write_text(settings)
    done = subprocess.run(["node", COMPILER, "-p", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    return folder / "dist"


async def test_it_goes_over_pages_and_takes_up_what_broke_off_and_its_examples_run(hall, built):
    environ = {**os.environ, "HALL": hall.base_url, "TOKEN": hall.acme.member.token}
    assert len(EXAMPLES) > 3
    for name in ("journey", *(f"example{number}" for number in range(len(EXAMPLES)))):
        running = await asyncio.create_subprocess_exec(
            "node",
            built / f"tests/{name}.js",
            env=environ,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await running.communicate()
        assert running.returncode == 0, said.decode()
