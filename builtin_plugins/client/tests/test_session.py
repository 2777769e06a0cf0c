"""Where the token of `guildhall login` is kept: in a keyring that keeps it, else in a file for its owner."""

import json
import stat
import sys
from types import SimpleNamespace

import pytest

from builtin_plugins.client.keyrings import Session
from builtin_plugins.client.session import current, forget, session_file, store
from guildhall_sdk import UserError

pytestmark = pytest.mark.any_database

URL, TOKEN = "http://hall.example", "ghs_secret"


class Backend:
    """A keyring of the system, which may refuse, or keep nothing."""

    name, priority = "toy", 5.0

    def __init__(self):
        self.kept, self.locked = {}, False

    def _check(self):
        if self.locked:
            raise RuntimeError("locked")

    def set_password(self, service, name, secret):
        self._check()
        self.kept[service, name] = secret

    def get_password(self, service, name):
        self._check()
        return self.kept.get((service, name))

    def delete_password(self, service, name):
        self._check()
        del self.kept[service, name]


@pytest.fixture(autouse=True)
def backend(monkeypatch, tmp_path):
    made = Backend()
    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_keyring=lambda: made))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("GUILDHALL_TOKEN", raising=False)
    return made


def test_a_keyring_has_the_token_and_the_file_the_address_alone(backend):
    assert store(Session(URL, TOKEN)) == "the keyring (toy)"
    assert backend.kept == {("guildhall", URL): TOKEN}
    assert json.loads(session_file().read_text()) == {"url": URL, "keyring": True}
    assert current() == Session(URL, TOKEN)
    store(Session("http://other.example", "ghs_other"))
    assert [*backend.kept.values()] == ["ghs_other"], "nothing is left of the session before"
    forget()
    assert backend.kept == {} and not session_file().exists()


@pytest.mark.parametrize("why", ["locked", "poor", "absent", "forgetful"])
def test_without_a_keyring_that_keeps_it_the_token_is_in_the_file(backend, monkeypatch, why):
    if why == "absent":
        monkeypatch.setitem(sys.modules, "keyring", None)
    if why == "forgetful":
        monkeypatch.setattr(backend, "set_password", lambda *secret: None)
    backend.locked = why == "locked"
    backend.priority = 0.5 if why == "poor" else 5
    assert store(Session(URL, TOKEN)) == str(session_file())
    assert stat.S_IMODE(session_file().stat().st_mode) == 0o600
    assert current() == Session(URL, TOKEN)
    forget()
    assert not session_file().exists()


def test_a_keyring_that_is_locked_by_now_says_how_to_go_on(backend):
    store(Session(URL, TOKEN))
    backend.locked = True
    with pytest.raises(UserError, match=f"guildhall login {URL}"):
        current()
