"""An out-of-process plugin in Python, standard library only. Each call is served by a thread of its own."""

import itertools
import json
import queue
import sys
import threading

TOOLS = [
    {
        "name": "count_words",
        "description": "Count the words of a note",
        "schema": {
            "type": "object",
            "properties": {"note_id": {"type": "string"}},
            "required": ["note_id"],
            "additionalProperties": False,
        },
    },
    {
        "name": "sum_up",
        "description": "Sum up a file in one sentence",
        "schema": {
            "type": "object",
            "properties": {"file_id": {"type": "string"}},
            "required": ["file_id"],
            "additionalProperties": False,
        },
    },
]

writing = threading.Lock()
ids = itertools.count(1)
answers = {}


class Refused(Exception):
    """The server refused what was asked of it."""


def write(message):
    with writing:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def ask(call, method, **params):
    """Call the server back, on behalf of the call that is being served."""
    number, answer = next(ids), queue.Queue(1)
    answers[number] = answer
    write({"id": number, "method": method, "params": {"call": call, **params}})
    message = answer.get()
    if "error" in message:
        raise Refused(message["error"]["message"])
    return message["result"]


def read_whole(call, method, thing_id):
    """A long text comes in parts."""
    found, offset = "", 0
    while offset is not None:
        part = ask(call, method, id=thing_id, offset=offset)
        found, offset = found + part["text"], part["next_offset"]
    return part, found


def count_words(call, arguments):
    note, text = read_whole(call, "notes/read", arguments["note_id"])
    return {"title": note["title"], "words": len(text.split())}


def sum_up(call, arguments):
    file, text = read_whole(call, "files/read", arguments["file_id"])
    prompt = f"Sum up in one sentence:\n\n{text[:20_000]}"
    return {"key": file["key"], "summary": ask(call, "model/ask", prompt=prompt)["reply"]}


def serve(message):
    params = message["params"]
    tool = {"count_words": count_words, "sum_up": sum_up}[params["name"]]
    try:
        write({"id": message["id"], "result": tool(params["call"], params["arguments"])})
    except Refused as refused:
        write({"id": message["id"], "error": {"code": -32000, "message": str(refused)}})


for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message:
        answers.pop(message["id"]).put(message)
    elif message["method"] == "initialize":
        write({"id": message["id"], "result": {}})
    elif message["method"] == "tools/list":
        write({"id": message["id"], "result": {"tools": TOOLS}})
    elif message["method"] == "tools/call":
        threading.Thread(target=serve, args=(message,), daemon=True).start()
