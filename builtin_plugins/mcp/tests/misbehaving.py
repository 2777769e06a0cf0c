"""An MCP server over stdio that does what a file says, good or bad. Standard library only.

`python misbehaving.py plan.json`. The plan is read anew for each list: `{tools, garbage?, starts_after?}`,
each tool `{name, description?, schema?}`. It says nothing before the file `starts_after` is there. Every
start is a line with the process id in `plan.json.starts`.
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path


def read_plan() -> dict:
    return json.loads(Path(sys.argv[1]).read_text())


def write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def send(message: dict) -> None:
    write(json.dumps({"jsonrpc": "2.0", **message}))


def answer(request_id, result: dict) -> None:
    send({"id": request_id, "result": result})


def say(request_id, text: str, **more) -> None:
    answer(request_id, {"content": [{"type": "text", "text": text}], **more})


def list_tools(request_id) -> None:
    tools = [
        {
            "name": tool["name"],
            "description": tool.get("description", ""),
            "inputSchema": tool.get("schema", {"type": "object"}),
        }
        for tool in read_plan()["tools"]
    ]
    answer(request_id, {"tools": tools})


def call_tool(request_id, name: str, arguments: dict) -> None:
    if name == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif name == "freeze":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif name == "wait":
        threading.Thread(target=lambda: (time.sleep(arguments["seconds"]), say(request_id, "waited"))).start()
    elif name == "fail":
        say(request_id, f"no, and {os.environ.get('API_TOKEN')} either", isError=True)
    elif name == "refuse":
        send({"id": request_id, "error": {"code": -32602, "message": "refused by the protocol"}})
    elif name == "much":
        say(request_id, "x" * (1024 * 1024 + 1))
    elif name == "huge":
        say(request_id, "x" * (5 * 1024 * 1024))
    elif name == "values":
        answer(request_id, {"content": [], "structuredContent": {"all": [[]] * 60_000}})
    elif name == "commas":
        say(request_id, "a,[{" * 100_000)
    elif name == "announce":
        send({"method": "notifications/tools/list_changed"})
        say(request_id, "announced")
    elif name == "data":
        say(request_id, "beside", structuredContent={"found": [1, 2]})
    else:
        say(request_id, json.dumps({"pid": os.getpid(), "called": name, "arguments": arguments}))


def misbehave(how: str | None) -> None:
    """Never comes back, where it is told how."""
    if how == "closed":
        os.close(1)
        time.sleep(600)
    while how == "lines":
        write("this is not a message")
    while how == "endless":
        sys.stdout.write("x" * 65536)
    while how == "blank":
        sys.stdout.write("\n" * 65536)
    if how == "split secret":
        os.write(2, b"x" * 4085 + os.environ["API_TOKEN"].encode() + b" was wrong\n")
        sys.exit(9)
    while how == "nested":
        write("[" * 100_000)


def ask_for_ever() -> None:
    """And never read an answer."""
    while True:
        send({"id": "again", "method": "ping"})


def main() -> None:
    with Path(f"{sys.argv[1]}.starts").open("a") as starts:
        starts.write(f"{os.getpid()}\n")
    gate = read_plan().get("starts_after")
    while gate and not Path(gate).exists():
        time.sleep(0.02)
    misbehave(read_plan().get("garbage"))
    write("a greeting that is no message")
    sys.stderr.write(f"what goes wrong here is said with {os.environ.get('API_TOKEN')}\n")
    for line in sys.stdin:
        message = json.loads(line)
        request_id, params = message.get("id"), message.get("params", {})
        if message.get("method") == "initialize":
            server = {"name": "misbehaving", "version": "1"}
            capabilities = {"tools": {"listChanged": True}}
            answer(
                request_id,
                {"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": server},
            )
        elif message.get("method") == "tools/list":
            list_tools(request_id)
            if read_plan().get("garbage") == "pings":
                ask_for_ever()
        elif message.get("method") == "tools/call":
            call_tool(request_id, params["name"], params.get("arguments") or {})
        elif request_id is not None:
            send({"id": request_id, "error": {"code": -32601, "message": "no such method"}})


main()
