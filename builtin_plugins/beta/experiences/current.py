"""Which experience a request leads to, and whose it is."""

from collections import OrderedDict
from pathlib import Path
from typing import NamedTuple

from builtin_plugins.beta.experiences.document import Document
from builtin_plugins.beta.experiences.seeds import EXPERIENCE, Seeds
from builtin_plugins.beta.experiences.validation import stored_document
from guildhall_sdk import Call, Host, Reader, Row, load_queries
from libs.names import hostname_of

_MAX_REMEMBERED_CHARACTERS = 32 * 1024 * 1024

sql = load_queries(Path(__file__).with_name("queries.sql"))


class Funnel(NamedTuple):
    """An experience and the team that its prospects belong to."""

    document: Document
    #: None while the instance has no company.
    org_id: str | None = None
    team_id: str | None = None
    #: None for an experience that nobody has published; then the version is 0.
    experience_id: str | None = None
    version: int = 0
    published_by: str | None = None
    published_at: int | None = None

    @property
    def published(self) -> bool:
        return self.experience_id is not None


class Experiences:
    """Finds experiences by hostname.

    Each look is one query by index, so that what one process publishes every other serves with its next
    request. What was published never changes, and is remembered by its id.
    """

    def __init__(self, host: Host) -> None:
        self._seeds = Seeds(host, host.setting(EXPERIENCE))
        self._remembered: OrderedDict[str, Document] = OrderedDict()
        self._characters = 0

    def seed(self) -> Document:
        """Returns the experience of those who have not published."""
        return self._seeds.document()

    def offers(self) -> list[str]:
        """Returns the ids of the plugins that offer an experience."""
        return self._seeds.offers()

    def offered(self, plugin_id: str) -> Document | None:
        """Returns the experience that a plugin offers."""
        return self._seeds.offered(plugin_id)

    async def at(self, reader: Reader, hostname: str) -> Funnel:
        """Returns the funnel of the company with this hostname, else that of the first company."""
        row = await reader.one(sql.funnel_at, hostname=hostname)
        if row is None:
            return Funnel(document=self.seed())
        if row["experience_id"] is None:
            return Funnel(document=self.seed(), org_id=row["org_id"], team_id=row["team_id"])
        return _published(row, await self.published(reader, row["experience_id"]))

    async def published(self, reader: Reader, experience_id: str) -> Document:
        """Returns a published document; raises `LookupError` where there is none with this id."""
        known = self._remembered.get(experience_id)
        if known is not None:
            self._remembered.move_to_end(experience_id)
            return known
        text = await reader.value(sql.published_document, id=experience_id)
        if text is None:
            raise LookupError(experience_id)
        document = stored_document(text)
        self._remember(experience_id, document)
        return document

    def _remember(self, experience_id: str, document: Document) -> None:
        """Remembers a document; the longest unused ones make room for it."""
        before = self._remembered.pop(experience_id, None)
        self._characters -= 0 if before is None else len(before.text)
        self._remembered[experience_id] = document
        self._characters += len(document.text)
        while self._characters > _MAX_REMEMBERED_CHARACTERS and len(self._remembered) > 1:
            _, oldest = self._remembered.popitem(last=False)
            self._characters -= len(oldest.text)


def _published(row: Row, document: Document) -> Funnel:
    return Funnel(
        document=document,
        org_id=row["org_id"],
        team_id=row["team_id"],
        experience_id=row["experience_id"],
        version=row["version"],
        published_by=row["published_by"],
        published_at=row["published_at"],
    )


async def current(call: Call) -> Funnel:
    """Returns the funnel that the request's hostname leads to. Not inside a scope."""
    experiences = call.service(Experiences)
    async with call.read() as reader:
        return await experiences.at(reader, hostname_of(call.headers.get("host", "")))
