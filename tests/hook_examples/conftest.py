"""The examples of the plugin author's pages as modules."""

import re
from pathlib import Path
from types import ModuleType

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs/plugins"


@pytest.fixture
def example(tmp_path):
    """`example("atlas")`: the plugin of that name, as it would be found in `tmp_path`."""

    def made(name):
        text = "".join(page.read_text("utf-8") for page in sorted(PAGES.glob("*.md")))
        (source,) = re.findall(rf"<!-- example: {name} -->\n```python\n(.*?)```", text, re.DOTALL)
        module = ModuleType(name)
        module.__file__ = str(tmp_path / "__init__.py")
        exec(compile(source, f"docs/plugins:{name}", "exec"), module.__dict__)
        return module

    return made
