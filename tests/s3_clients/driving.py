"""A library as a command, so that it is driven like the clients that are one."""

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
    """`more` are commands that not every library has; a text that they return is their answer."""
    match sys.argv[1:]:
        case ["put", path, key]:
            put(path, key)
        case ["get", key, path]:
            get(key, path)
        case ["list"]:
            sys.stdout.write(json.dumps(list(keys())))
        case ["copy", source, key]:
            copy(source, key)
        case ["delete", key]:
            delete(key)
        case ["up", folder, prefix]:
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file():
                    put(str(path), prefix + path.relative_to(folder).as_posix())
        case ["down", prefix, folder]:
            for key in keys():
                if key.startswith(prefix):
                    path = Path(folder, key.removeprefix(prefix))
                    path.parent.mkdir(parents=True, exist_ok=True)
                    get(key, str(path))
        case [name, *told] if name in more:
            answer = more[name](*told)
            if isinstance(answer, str):
                sys.stdout.write(answer)
        case told:
            sys.exit(f"cannot {told}")
