"""A library as a program that is told what to do line by line, so that it is started once."""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path


def drive(
    put: Callable[[str, str], object],
    get: Callable[[str, str], object],
    keys: Callable[[], Iterable[str]],
    copy: Callable[[str, str], object],
    delete: Callable[[str], object],
    **more: Callable[..., object],
) -> None:
    """Does what each line says, a JSON list of words, and answers in a line: what it did, or why not.

    `more` are commands that not every library has; a text that they return is their answer.
    """

    def up(folder: str, prefix: str) -> None:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                put(str(path), prefix + path.relative_to(folder).as_posix())

    def down(prefix: str, folder: str) -> None:
        for key in keys():
            if key.startswith(prefix):
                path = Path(folder, key.removeprefix(prefix))
                path.parent.mkdir(parents=True, exist_ok=True)
                get(key, str(path))

    commands = {
        "put": put,
        "get": get,
        "list": lambda: json.dumps(list(keys())),
        "copy": copy,
        "delete": delete,
        "up": up,
        "down": down,
        **more,
    }
    for line in sys.stdin:
        name, *told = json.loads(line)
        try:
            answer = commands[name](*told)
            said = {"answer": answer if isinstance(answer, str) else ""}
        except Exception as error:
            said = {"failed": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
