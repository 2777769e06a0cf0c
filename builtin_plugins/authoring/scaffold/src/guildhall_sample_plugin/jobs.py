"""Work in the background: asked for at `POST /api/jobs`, and run by the server."""

from collections.abc import Sequence
from typing import Any

from guildhall_sdk import JobCall, JobKind, hookimpl
from guildhall_sdk.schema import obj, string

COUNT_WORDS = "x.sample-plugin.count-words"
TEXT = obj({"text": string(max_length=100_000)}, required=["text"])


async def count_words(job: JobCall) -> dict[str, Any]:
    words = str(job.payload["text"]).split()
    await job.progress(0.5)
    return {"words": len(words), "different": len(set(words))}


@hookimpl
def declare_job_kinds() -> Sequence[JobKind]:
    return [JobKind(COUNT_WORDS, "Counts the words of a text.", handler=count_words, payload=TEXT)]
