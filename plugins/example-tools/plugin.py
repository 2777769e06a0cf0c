"""The smallest useful plugin: one function, offered as a tool, a route, a job and a command."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from guildhall_sdk import (
    Call,
    Command,
    InvalidRequest,
    JobCall,
    JobKind,
    Parameter,
    Principal,
    Reader,
    Route,
    Tool,
    UserError,
    hookimpl,
)
from guildhall_sdk.commands import CommandHost
from guildhall_sdk.schema import integer, obj, shape, string

_TEXT = string(max_length=1_000_000, description="The text to count", examples=["one two three"])
_SHORT_TEXT = {**_TEXT, "maxLength": 8_000}  # a longer one does not fit into a request line
_COUNT = shape({"words": integer(0), "characters": integer(0)})


def count_words(text: str) -> dict[str, int]:
    return {"words": len(text.split()), "characters": len(text)}


async def word_count(_reader: Reader, _principal: Principal, arguments: Mapping[str, Any]) -> dict[str, int]:
    return count_words(arguments["text"])


async def count_query(call: Call) -> dict[str, int]:
    if "text" not in call.query:
        raise InvalidRequest.at("?text", "is required")
    return count_words(call.query["text"])


async def count_body(call: Call) -> dict[str, int]:
    return count_words(call.body["text"])


async def count_in_a_job(job: JobCall) -> dict[str, int]:
    return count_words(job.payload["text"])


def add_file(parser: ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, help="what to count; standard input unless given")


def count_file(options: Namespace, host: CommandHost) -> int:
    try:
        text = sys.stdin.read() if options.file is None else options.file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{options.file or 'standard input'} cannot be read: {error}") from None
    counted = count_words(text)
    sys.stdout.write(f"{counted['words']} words, {counted['characters']} characters\n")
    return 0


@hookimpl
def declare_commands() -> Sequence[Command]:
    return [
        Command(
            name="word-count",
            help="count the words and characters of a text",
            run=count_file,
            arguments=add_file,
        )
    ]


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return [
        JobKind(
            name="x.example-tools.word-count",
            doc="Counts the words and characters of a text.",
            handler=count_in_a_job,
            payload=obj({"text": _TEXT}, required=["text"], example={"text": "one two three"}),
        )
    ]


@hookimpl
def declare_tools() -> Sequence[Tool]:
    return [
        Tool(
            name="word_count",
            description="Counts the words and characters of a text.",
            permission="chat:use",
            handler=word_count,
            parameters=[Parameter("text", "string", "The text to count")],
        )
    ]


@hookimpl
def declare_routes() -> Sequence[Route]:
    doc = "Counts the words and characters of a text."
    body = obj({"text": _TEXT}, required=["text"], example={"text": "one two three"})
    return [
        Route(
            "GET",
            "word-count",
            count_query,
            doc,
            permission="chat:use",
            query={"text": _SHORT_TEXT},
            reply=_COUNT,
        ),
        Route(
            "POST", "word-count", count_body, doc, permission="chat:use", body=body, query={}, reply=_COUNT
        ),
    ]
