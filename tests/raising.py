"""Code of a plugin that fails, outside the kernel: whose line it was is told by where it stands."""

from collections.abc import Awaitable, Callable
from typing import Any


def raising(error: Exception) -> Callable[..., Any]:
    """Returns a function that raises this, whatever it is given."""

    def fail(*_: object) -> Any:
        raise type(error)(*error.args)

    return fail


def raising_async(error: Exception) -> Callable[..., Awaitable[Any]]:
    """Returns an async function that raises this, whatever it is given."""

    async def fail(host: object) -> Any:
        raise type(error)(*error.args)

    return fail
