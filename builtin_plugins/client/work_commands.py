"""`guildhall chat`, `run` and `jobs`: what a hall works on for somebody."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from builtin_plugins.client.showing import for_terminal, plain, print_json, table
from builtin_plugins.client.text_commands import add_json, add_limit, run_action, text_of
from guildhall_sdk import Command, UserError

if TYPE_CHECKING:
    from guildhall_client import Client


def _chat_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("prompt", nargs="*", help="what to ask (default: standard input)")
    parser.add_argument("--json", action="store_true", help="the whole answer as JSON, when it is there")
    parser.set_defaults(action=_chat)


def _chat(hall: "Client", options: argparse.Namespace) -> int:
    prompt = " ".join(options.prompt) or text_of(None)
    if not prompt.strip():
        raise UserError("there is nothing to ask: say it behind `chat`, or on standard input")
    answer = ""
    for event in hall.ai.chat_stream(prompt=prompt):
        match event.event:
            case "delta":
                piece = event.json()["text"]
                answer += piece
                if not options.json:
                    sys.stdout.write(for_terminal(piece))
                    sys.stdout.flush()
            case "done" if options.json:
                print_json({"text": answer, **event.json()})
            case "error":
                sys.stdout.write("\n" if answer and not options.json else "")
                told = event.json()
                raise UserError(plain(told.get("detail") or told.get("message") or "the answer broke off"))
    if answer and not options.json:
        sys.stdout.write("\n")
    return 0


def _run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Starts a run of a workflow and waits for its end; 1 where it did not succeed."
    parser.add_argument("workflow", help="its slug")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an input, as JSON where it is some, else as text; may be given several times",
    )
    parser.add_argument("--no-wait", action="store_true", help="print the id of the run, and let it go on")
    add_json(parser)
    parser.set_defaults(action=_run)


def _run(hall: "Client", options: argparse.Namespace) -> int:
    run = hall.workflows.run(options.workflow, input=dict(map(_input, options.input)))
    if options.no_wait:
        sys.stdout.write(f"{run['id']}\n")
        return 0
    for event in hall.runs.events(run["id"]):
        if event.event in ("done", "error"):
            break
    ended = hall.runs.get(run["id"])
    if options.json:
        print_json(ended)
    else:
        table(ended["steps"], ("name", "state", "output"), as_json=False)
        sys.stdout.write(f"{ended['id']} {ended['state']}\n")
    return 0 if ended["state"] == "succeeded" else 1


def _input(text: str) -> tuple[str, Any]:
    name, separator, value = text.partition("=")
    if not name or not separator:
        raise UserError(f"--input {text}: it is NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _jobs_arguments(parser: argparse.ArgumentParser) -> None:
    _list_arguments(parser)
    actions = parser.add_subparsers(metavar="action", help="without one: ls")
    _list_arguments(actions.add_parser("ls", help="list the team's jobs, newest first"))
    show = actions.add_parser("show", help="print a job with its result, as JSON")
    show.add_argument("id")
    show.set_defaults(action=lambda hall, told: print_json(hall.jobs.get(told.id)))
    follow = actions.add_parser("follow", help="print the events of a job until it ends")
    follow.add_argument("id")
    follow.set_defaults(action=_follow)
    cancel = actions.add_parser("cancel", help="cancel a job that waits")
    cancel.add_argument("id")
    cancel.set_defaults(action=_cancel)


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state", choices=("queued", "running", "succeeded", "failed", "cancelled"))
    parser.add_argument("--kind", help="only jobs of this kind")
    add_limit(parser)
    parser.set_defaults(action=_list_jobs)


def _list_jobs(hall: "Client", options: argparse.Namespace) -> None:
    found = hall.jobs.list(state=options.state, kind=options.kind).first(options.limit)
    table(found, ("id", "created_at", "state", "kind"), as_json=options.json)


def _follow(hall: "Client", options: argparse.Namespace) -> int:
    for event in hall.jobs.events(options.id):
        sys.stdout.write(f"{plain(event.event)} {plain(event.data)}\n")
        sys.stdout.flush()
    return 0 if hall.jobs.get(options.id)["state"] == "succeeded" else 1


def _cancel(hall: "Client", options: argparse.Namespace) -> None:
    hall.jobs.cancel(options.id)


COMMANDS = (
    Command(name="chat", help="ask the model, and read on", arguments=_chat_arguments, standalone=run_action),
    Command(name="run", help="run a workflow", arguments=_run_arguments, standalone=run_action),
    Command(name="jobs", help="jobs: list, follow, cancel", arguments=_jobs_arguments, standalone=run_action),
)
