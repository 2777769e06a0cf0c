"""A plugin that does whatever a test tells it: `run` executes Python, with `ask` to call the server back."""

import itertools
import json
import os
import queue
import sys
import threading
import time

TOOLS = [
    {
        "name": "run",
        "description": "Run this",
        "schema": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
    }
]
ids = itertools.count(1)
answers = {}
tokens = []
writing = threading.Lock()


class Refused(Exception):
    pass


def write(message):
    with writing:
        raw((json.dumps({"jsonrpc": "2.0", **message}) + "\n").encode())


def raw(data):
    while data:
        data = data[os.write(1, data) :]


def serve(message):
    call = message["params"]["call"]
    tokens.append(call)

    def ask(method, token=call, **params):
        number, answer = next(ids), queue.Queue(1)
        answers[number] = answer
        write({"id": number, "method": method, "params": {"call": token, **params}})
        given = answer.get()
        if "error" in given:
            raise Refused(given["error"]["data"]["code"])
        return given["result"]

    known = {"ask": ask, "os": os, "raw": raw, "write": write, "time": time, "tokens": tokens, "call": call}
    known |= {"threading": threading, "sys": sys, "json": json, "result": None, "message": message}
    try:
        exec(message["params"]["arguments"]["code"], known)
        write({"id": message["id"], "result": known["result"]})
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"[:500]
        write({"id": message["id"], "error": {"code": -32000, "message": said}})


for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message:
        # What was called back without waiting is answered too, and nobody is there to hear it.
        if (answer := answers.pop(message["id"], None)) is not None:
            answer.put(message)
    elif message["method"] == "initialize":
        write({"id": message["id"], "result": {}})
    elif message["method"] == "tools/list":
        write({"id": message["id"], "result": {"tools": TOOLS}})
    elif message["method"] == "tools/call":
        threading.Thread(target=serve, args=(message,), daemon=True).start()
