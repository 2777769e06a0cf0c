"""The kernel names no feature, not in code, SQL or a comment; and no dialect of SQL in its code."""

import ast
import re
from pathlib import Path

import pytest

KERNEL = Path(__file__).parents[1] / "kernel"
WORDS = (
    *("agents", "ai", "beta", "branding", "bucket", "buckets", "chat", "chats", "enterprise", "executor"),
    *("executors", "glossary", "knowledge", "l10n", "mcp", "model", "models", "notes", "quota", "quotas"),
    *("s3", "translation", "translations", "workflow", "workflows", '"free"', "'free'"),
)
# What the words mean elsewhere: pools of threads, and the reserved end of a metric's name.
OTHERS = re.compile(r"ThreadPoolExecutor|run_in_executor|\"_bucket\"")
WORD = re.compile(rf"(?<![a-z0-9])({'|'.join(WORDS)})(?![a-z0-9])", re.IGNORECASE)


def feature_words(text):
    """Each line that names a feature; `ModelTurn` and `model_turn` are words too."""
    for number, line in enumerate(text.splitlines(), 1):
        apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", OTHERS.sub("", line))
        for found in WORD.finditer(apart):
            yield number, found[1].lower()


def kernel_files():
    for path in sorted(KERNEL.rglob("*")):
        inside = path.relative_to(KERNEL)
        if path.suffix in (".py", ".sql") and not {"testing", "tests"} & {*inside.parts}:
            yield inside.as_posix(), path


def test_no_file_of_the_kernel_names_a_feature():
    found = [
        f"kernel/{name}:{number}: {word}"
        for name, path in kernel_files()
        for number, word in feature_words(path.read_text())
    ]
    assert found == []


@pytest.mark.parametrize("line", ["class ModelTurn:", "quota_counters", "-- for S3", "plan == 'free'"])
def test_a_feature_is_found_in_names_and_in_words(line):
    assert [*feature_words(line)]


@pytest.mark.parametrize("line", ["ThreadPoolExecutor(2)", "remodel", "free_bytes", "# noqa: S311", "rs3"])
def test_other_words_are_let_alone(line):
    assert not [*feature_words(line)]


#: What operators read about the databases that ship, and where a shared clock has a spelling of its own.
NAMING_DIALECTS = {"cli/command_line.py", "config.py", "scheduler/statements.py"}


def test_no_code_of_the_kernel_names_a_dialect():
    """Statements are spelled by the marks of their files; the scheme of the default URL is an engine's."""
    found = {
        name
        for name, path in kernel_files()
        if path.suffix == ".py"
        and re.search("sqlite|postgres", "\n".join(words_of_code(path)), re.IGNORECASE)
    }
    assert found == NAMING_DIALECTS


def words_of_code(path):
    """Each name and text of a module, without its docstrings."""
    tree = ast.parse(path.read_text())
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in said:
            yield str(node.value)
        yield from (str(getattr(node, one)) for one in ("id", "attr", "arg", "name") if hasattr(node, one))
