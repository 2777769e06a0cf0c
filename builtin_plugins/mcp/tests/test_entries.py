"""The file of servers: what it may say, and the one line that says what is wrong."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from builtin_plugins.mcp.entries import HttpEntry, StdioEntry, read_entries
from builtin_plugins.mcp.service import server_file

SECRET = "canary-of-the-file-90125"


def test_the_usual_form_is_read(tmp_path):
    path = tmp_path / "mcp.json"
    (tmp_path / "below").mkdir()
    path.write_text(
        json.dumps(
            {
                "mcpServers": {
                    "time": {
                        "command": "uvx",
                        "args": ["mcp-server-time"],
                        "autoApprove": [],
                        "cwd": "below",
                    },
                    "far": {
                        "type": "http",
                        "url": "https://example.org/mcp?key=x",
                        "timeout": 5,
                        "headers": {},
                    },
                    "off": {"disabled": True, "command": 3},
                },
                "other": 1,
            }
        )
    )
    time, far = read_entries(path)
    assert isinstance(time, StdioEntry)
    assert isinstance(far, HttpEntry)
    assert (time.transport, time.cwd, time.timeout) == ("stdio", str(tmp_path / "below"), 60.0)
    assert list(time.environment) == ["PATH"]
    assert (far.transport, far.seconds_of("any")) == ("http", 5.0)


def test_the_example_of_the_guide_is_taken(tmp_path):
    guide = (Path(__file__).parents[3] / "docs" / "mcp.md").read_text("utf-8")
    path = tmp_path / "mcp.json"
    path.write_text(re.findall(r"```json\n(.*?)```", guide, re.DOTALL)[0])
    assert [(one.name, one.transport, one.seconds_of("crawl")) for one in read_entries(path)] == [
        ("time", "stdio", 60.0),
        ("search", "http", 600.0),
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"a/b": {"command": "x"}}, "the server 'a/b' needs a name of"),
        ({"a": 3}, "the server 'a' is not an object"),
        ({"a": {}}, "needs either a command (stdio) or a url (http)"),
        ({"a": {"command": "x", "url": "http://h/"}}, "needs either a command (stdio) or a url (http)"),
        ({"a": {"type": "stdio", "url": "http://h/"}}, "needs either a command (stdio) or a url (http)"),
        ({"a": {"type": "sse", "url": "http://h/"}}, "streamable HTTP"),
        ({"a": {"command": ""}}, "has a command that is not a text"),
        ({"a": {"command": "x", "args": "y"}}, "has args that are not a list of texts"),
        ({"a": {"command": "x", "env": {"KEY": 1}}}, "has 'KEY' in its env"),
        ({"a": {"command": "x", "env": [SECRET]}}, "has something else than an object as its env"),
        ({"a": {"command": "x", "cwd": "nowhere"}}, "has a cwd that is not a folder"),
        ({"a": {"command": "x", "timeout": 0}}, "has a timeout that is no number of seconds"),
        ({"a": {"command": "x", "timeout": True}}, "has a timeout that is no number of seconds"),
        ({"a": {"command": "x", "toolTimeouts": {"t": "9"}}}, "has a toolTimeouts of 't' that is no number"),
        ({"a": {"url": "ftp://h/"}}, "has a url that is no http:// or https:// address"),
        ({"a": {"url": "http://h:99999/"}}, "has a url that is no http:// or https:// address"),
        ({"a": {"url": f"http://u:{SECRET}@h/"}}, "put them into headers"),
        ({"a": {"url": "http://h/", "headers": {"X": f"{SECRET}\r\n"}}}, "has 'X' in its headers"),
    ],
)
def test_a_malformed_entry_is_named_in_one_line_without_its_secrets(tmp_path, given, said):
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": given}))
    with pytest.raises(ValueError) as refusal:
        read_entries(path)
    assert said in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert SECRET not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", 'takes {"mcpServers"'),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "has 'a' twice"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path, text, said):
    path = tmp_path / "mcp.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=said.replace("{", r"\{")):
        server_file(str(path))
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        server_file(str(tmp_path / "none.json"))


def test_without_the_sdk_the_setting_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "mcp.json"
    path.write_text('{"mcpServers": {"a": {"command": "x"}}}')
    monkeypatch.setattr("builtin_plugins.mcp.service.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"pip install 'guildhall-server\[mcp\]'"):
        server_file(str(path))


def test_nothing_of_an_entry_that_may_be_secret_is_in_its_text(tmp_path):
    path = tmp_path / "mcp.json"
    secrets = {
        "a": {"command": "x", "env": {"API_KEY": SECRET}},
        "c": {"command": "x", "args": ["--api-key", SECRET]},
        "d": {"command": "x", "args": [f"--token={SECRET}"]},
        "b": {"url": "http://h/", "headers": {"X": SECRET}},
        "e": {"url": f"http://h/?k={SECRET}"},
        "f": {"command": "x", "env": {"DATABASE_URL": f"postgresql://me:{SECRET}@h/d"}},
        "g": {"command": "x", "env": {"NOTION": SECRET}},
    }
    path.write_text(json.dumps({"mcpServers": secrets}))
    found = server_file(str(path)).entries
    assert SECRET not in repr(found)
    for entry in found:
        assert SECRET not in entry.hide_secrets(f"it says {SECRET} aloud")


def test_the_plugin_imports_no_mcp():
    program = (
        "import sys, builtin_plugins.mcp;"
        "lazy = {'mcp', 'mcp_types', 'pydantic', 'httpx2', 'builtin_plugins.mcp.server'};"
        "assert not lazy & set(sys.modules), 'imported'"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
