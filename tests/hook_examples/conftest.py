"""The examples of the hooks' reference as modules."""

import re
from pathlib import Path
from types import ModuleType

import pytest

REFERENCE = Path(__file__).resolve().parents[2] / "docs/plugins/hooks.md"


@pytest.fixture
def example(tmp_path):
    """`example("atlas")`: the plugin of that name, as it would be found in `tmp_path`."""

    def made(name):
        text = REFERENCE.read_text("utf-8")
        (source,) = re.findall(rf"<!-- example: {name} -->\n```python\n(.*?)```", text, re.DOTALL)
        module = ModuleType(name)
        module.__file__ = str(tmp_path / "__init__.py")
        exec(compile(source, f"hooks.md:{name}", "exec"), module.__dict__)
        return module

    return made
