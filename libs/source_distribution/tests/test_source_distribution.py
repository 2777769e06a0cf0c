"""A project that nobody installed is found by its entry points."""

import sys
from importlib import metadata

import pytest

from libs.source_distribution import NoProject, describe, entries_of

PROJECT = (
    '[project]\nname = "the-lamp"\nversion = "2.1"\n[project.entry-points."lights"]\nlamp = "the_lamp:on"\n'
)


def test_a_project_is_found_with_its_entry_points(tmp_path, monkeypatch):
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "pyproject.toml").write_text(PROJECT)
    (project / "src" / "the_lamp.py").write_text("on = 'it shines'\n")
    monkeypatch.setattr(sys, "path", [*describe(project, tmp_path / "site"), *sys.path])
    (entry,) = metadata.entry_points(group="lights")
    assert (entry.name, entry.load(), entry.dist.version) == ("lamp", "it shines", "2.1")
    assert entries_of(project, "lights") == ["lamp"]
    assert entries_of(project, "sounds") == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [(None, "there is no "), ("[project", "cannot be read: "), ("[tool]\n", "does not say the name")],
)
def test_what_is_no_project_says_why(tmp_path, text, reason):
    if text is not None:
        (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(NoProject, match=reason):
        describe(tmp_path, tmp_path / "site")
