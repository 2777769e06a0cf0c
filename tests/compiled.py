"""The modules of tests as pytest compiles them when it imports one: each once, whoever imports it later."""

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

_LEFT_OUT = {"node_modules", "__pycache__"}
# What they are compiled with is inherited by the processes that do it.
_configs: list[pytest.Config] = []


def compile_tests(config: pytest.Config) -> None:
    """Compiles those that were never compiled; one that changed since is left to who imports it."""
    new = [path for path in _modules(config) if not _compiled(path).exists()]
    processes = min(os.cpu_count() or 1, len(new))
    if processes > 1:
        _configs[:] = [config]
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            pool.map(_compile, new, chunksize=8)


def _modules(config: pytest.Config) -> Iterator[Path]:
    for root in config.getini("testpaths"):
        for folder, below, names in os.walk(config.rootpath / root):
            below[:] = [name for name in below if name not in _LEFT_OUT]
            yield from (
                Path(folder, one) for one in names if one == "conftest.py" or fnmatch(one, "test_*.py")
            )


def _compiled(path: Path) -> Path:
    return rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)


def _compile(path: Path) -> None:
    (config,) = _configs
    compiled = _compiled(path)
    with suppress(SyntaxError):  # its import tells
        compiled.parent.mkdir(parents=True, exist_ok=True)
        source, code = rewrite._rewrite_test(path, config)
        rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, compiled)
