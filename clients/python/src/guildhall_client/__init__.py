"""A typed client of Guildhall's HTTP API: `Client`, and `AsyncClient` for asyncio.

from guildhall_client import Client

with Client("https://hall.example", token=token) as hall:
    for note in hall.notes.list():
        print(note["title"])
"""

from guildhall_client.addresses import VERSION
from guildhall_client.asynchronous.client import AsyncClient
from guildhall_client.errors import (
    Changed,
    Conflict,
    FieldError,
    Forbidden,
    GuildhallError,
    InvalidRequest,
    Malformed,
    NotFound,
    Problem,
    ServerError,
    Suspended,
    TooLarge,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
    Unreachable,
)
from guildhall_client.retries import Retries
from guildhall_client.sending import OMITTED
from guildhall_client.sse import Event
from guildhall_client.synchronous.client import Client
from guildhall_client.worker import FailJob, Worker

__version__ = VERSION

__all__ = [
    "OMITTED",
    "AsyncClient",
    "Changed",
    "Client",
    "Conflict",
    "Event",
    "FailJob",
    "FieldError",
    "Forbidden",
    "GuildhallError",
    "InvalidRequest",
    "Malformed",
    "NotFound",
    "Problem",
    "Retries",
    "ServerError",
    "Suspended",
    "TooLarge",
    "TooManyRequests",
    "Unauthenticated",
    "Unavailable",
    "Unreachable",
    "Worker",
]
