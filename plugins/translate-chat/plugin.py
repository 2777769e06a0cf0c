"""Tools that spend a model's turns, and a workflow whose maps follow one another."""

from collections.abc import Mapping, Sequence
from typing import Any

from guildhall_sdk import Host, Parameter, Principal, Tool, Workflow, hookimpl
from guildhall_sdk.services.localization import Translator
from guildhall_sdk.services.models import Models, ModelTurn

_HOME = {"$from": "principal.locale"}

TRANSLATE_CHAT = {
    "slug": "translate-chat",
    "version": 1,
    "name": "Translated chat",
    "inputs": {"message": {"type": "string"}},
    "start": "chat",
    "max_steps": 20,
    "steps": [
        {
            "name": "chat",
            "kind": "tool",
            "tool": "chat_message",
            "with": {"text": {"$from": "input.message"}},
        },
        {
            "name": "to_all",
            "kind": "map",
            "over": ["es", "nl", "is"],
            "tool": "translate_text",
            "with": {
                "source": _HOME,
                "target": {"$from": "item"},
                "text": {"$from": "steps.chat.output.result"},
            },
        },
        {
            "name": "back_home",
            "kind": "map",
            "over": {"$from": "steps.to_all.output.results"},
            "tool": "translate_text",
            "with": {"target": _HOME, "text": {"$from": "item.result"}},
            "end": True,
        },
    ],
}


async def chat_message(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> str:
    """Asks the model, which meters the turn itself."""
    turn = ModelTurn(messages=[{"role": "user", "content": arguments["text"]}])
    return (await host.service(Models).ask(principal, turn)).text


async def translate_text(host: Host, principal: Principal, arguments: Mapping[str, Any]) -> str:
    """Translates by the team's glossary; the turn is metered, and stands in the caller's history."""
    made = await host.service(Translator).translate(
        principal, arguments["text"], arguments["target"], source=arguments.get("source")
    )
    return made.text


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return [
        Tool(
            name="chat_message",
            description="Asks the model one question and gives its answer.",
            permission="chat:use",
            hosted=chat_message,
            writes=False,
            feature="chat",
            parameters=[Parameter("text", "string", "What to ask")],
        ),
        Tool(
            name="translate_text",
            description="Translates a text into another language by the team's glossary.",
            permission="chat:use",
            hosted=translate_text,
            writes=False,
            feature="translate",
            parameters=[
                Parameter("text", "string", "The text to translate"),
                Parameter("target", "string", "The language to translate into, such as nl or pt-BR"),
                Parameter("source", "string", "The language of the text", optional=True),
            ],
        ),
    ]


@hookimpl
def declare_workflows() -> Sequence[Workflow]:
    return [Workflow(spec=TRANSLATE_CHAT)]
