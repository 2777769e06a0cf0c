"""Files that are letters from end to end: as they are, or with their markup taken off."""

from typing import BinaryIO

from .declared import Kind
from .delimited import write_cells
from .encoding import decode
from .json_text import write_values
from .task import Task
from .transcript import Transcript
from .web_page import write_visible


def read(document: BinaryIO, transcript: Transcript, task: Task) -> None:
    content = document.read(task.limits.plain_bytes + 1)
    complete = len(content) <= task.limits.plain_bytes
    text = decode(content[: task.limits.plain_bytes], task.charset)
    if transcript.kind is Kind.HTML:
        write_visible(text, transcript)
    elif transcript.kind is Kind.CSV:
        write_cells(text, transcript)
    elif transcript.kind is Kind.JSON:
        write_values(text, transcript)
    else:
        transcript.write(text)
    if not complete:
        transcript.stop()
