"""A tool that a test plays, and a workflow of it: each word is said, held back, or refused."""

import asyncio
from types import SimpleNamespace

from guildhall_sdk import Plugin, Tool, UserError, hookimpl

SPEC = {
    "slug": "say-words",
    "name": "Say words",
    "inputs": {"words": {"type": "array"}},
    "start": "begin",
    "steps": [
        {"name": "begin", "kind": "tool", "tool": "say", "with": {"word": "begin"}},
        {
            "name": "each",
            "kind": "map",
            "over": {"$from": "input.words"},
            "tool": "say",
            "with": {"word": {"$from": "item"}},
        },
        {
            "name": "any",
            "kind": "choice",
            "when": {"empty": {"$from": "input.words"}},
            "then": "nothing",
            "else": "end",
        },
        {"name": "end", "kind": "tool", "tool": "say", "with": {"word": "end"}, "end": True},
        {"name": "nothing", "kind": "tool", "tool": "say", "with": {"word": "nothing"}},
    ],
}


class Toys:
    """What the tool `say` does with its words."""

    def __init__(self):
        self.said: list[str] = []
        self.fail_at: str | None = None
        self._held: dict[str, asyncio.Event] = {}

    def hold(self, word: str) -> None:
        """Holds a word back until it is released."""
        self._held[word] = asyncio.Event()

    def release(self) -> None:
        for event in self._held.values():
            event.set()

    async def say(self, host, principal, arguments):
        word = arguments.get("word")
        if word in self._held:
            await self._held[word].wait()
        if word == self.fail_at:
            raise UserError(f"“{word}” is a word that nobody says.")
        self.said.append(word)
        return word

    def plugin(self):
        schema = {"type": "object", "properties": {"word": {}}, "additionalProperties": False}

        @hookimpl
        def declare_tools():
            return [Tool("say", "Says a word.", "workflows:run", hosted=self.say, schema=schema)]

        return SimpleNamespace(PLUGIN=Plugin("toys", "Toys", "1.0", "Toys."), declare_tools=declare_tools)
