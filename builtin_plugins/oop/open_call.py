"""A call that a plugin is serving: whose it is, and what the plugin does on its behalf."""

import asyncio
import contextvars
import secrets
from dataclasses import dataclass, field

from guildhall_sdk import Principal

MAX_CALLBACKS = 200
MAX_CALLBACKS_AT_ONCE = 8


@dataclass(slots=True, eq=False)
class OpenCall:
    """`token` is what the plugin names it by; it opens nothing any more once the call has ended.

    `context` is the caller's: what is enqueued on their behalf has the scope of their credential.
    """

    principal: Principal
    token: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    callbacks_made: int = 0
    refusals: int = 0
    ended: bool = False
    callbacks: "set[asyncio.Task[None]]" = field(default_factory=set)

    @property
    def has_room(self) -> bool:
        return self.callbacks_made < MAX_CALLBACKS and len(self.callbacks) < MAX_CALLBACKS_AT_ONCE

    def end(self) -> None:
        self.ended = True
        for task in self.callbacks:
            task.cancel()
