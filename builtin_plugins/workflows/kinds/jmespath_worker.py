"""A process that searches JSON by JMESPath, one question at a time; it is killed where one takes too long."""

import json
import resource
import signal
import struct
import sys
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError

MAX_BYTES = 1024 * 1024
_MEMORY_BYTES = 1024 * 1024 * 1024
# Whoever started this process may be gone: then it ends itself.
_LONGEST_SECONDS = 3.0


def _answer(question: bytes) -> dict[str, Any]:
    try:
        expression, data = json.loads(question)
        found = json.dumps(jmespath.search(expression, data), ensure_ascii=False, allow_nan=False)
        if len(found.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            return {"error": ["result_too_large", "What the expression gives is over 1 MiB."]}
        return {"text": found}
    except JMESPathError as fault:
        return {"error": ["transform_failed", str(fault)[:500]]}
    except (RecursionError, MemoryError):
        return {"error": ["transform_too_large", "The expression needs too much memory."]}
    except (TypeError, ValueError, AttributeError, IndexError, KeyError, OverflowError) as fault:
        return {"error": ["transform_failed", f"{type(fault).__name__}: {fault}"[:500]]}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    source, target = sys.stdin.buffer, sys.stdout.buffer
    target.write(b"+")
    target.flush()
    while len(head := source.read(4)) == 4:
        question = source.read(struct.unpack("!I", head)[0])
        signal.setitimer(signal.ITIMER_REAL, _LONGEST_SECONDS)
        answer = json.dumps(_answer(question)).encode()
        signal.setitimer(signal.ITIMER_REAL, 0)
        target.write(struct.pack("!I", len(answer)) + answer)
        target.flush()


if __name__ == "__main__":
    main()
