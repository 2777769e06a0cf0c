"""Which passwords are refused."""

from pathlib import Path

from libs.names import username_key

SHORTEST = 10
LONGEST = 1024
_BEYOND_USERNAME = 8

# Long enough for the rule above, and among the first that are tried.
_COMMON = frozenset(Path(__file__).with_name("common_passwords.txt").read_text("utf-8").split())


def password_fault(username: str, password: str) -> str | None:
    if not SHORTEST <= len(password) <= LONGEST:
        return f"takes {SHORTEST} to {LONGEST} characters"
    plain = username_key(password)
    if plain in _COMMON or len(set(plain)) <= 2:
        return "is one of the first that would be guessed; choose another"
    name = username_key(username)
    if name and name in plain and len(plain.replace(name, "")) < _BEYOND_USERNAME:
        return "is little more than the username; choose another"
    return None
