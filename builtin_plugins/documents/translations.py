"""`doc_translate`: a document in another language, paragraph by paragraph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from builtin_plugins.documents import paragraphs
from builtin_plugins.documents.fields import USE_MODELS
from builtin_plugins.documents.outputs import Origin, check_place, document, write_output
from builtin_plugins.documents.paragraphs import Paragraph
from builtin_plugins.documents.texts import require_text
from guildhall_sdk import Host, InvalidRequest, PermissionDenied, Principal, TooLarge
from guildhall_sdk.errors import RetryLater
from guildhall_sdk.jobs import running_job
from guildhall_sdk.services.localization import Translation, Translator
from guildhall_sdk.tools import Artifact
from libs.fair_slots import TEXTS
from libs.names import locale_fault, spelt_locale

STEP = "translate"
# Documents of the last jobs that were put off, by the job, in this process; in another they begin anew.
_MAX_PUT_OFF = 16
_put_off: dict[str, dict[str, Translation]] = {}
MAX_CHARACTERS = 200_000
_UNTRANSLATED = "> Not translated into {locale}: no model is configured, only the glossary was applied.\n\n"


async def translate_document(host: Host, caller: Principal, arguments: Mapping[str, Any]) -> Artifact:
    """Translates a document with the team's glossary; what must not change in it does not."""
    if not caller.may(USE_MODELS):
        raise PermissionDenied(USE_MODELS)
    locale = arguments["locale"]
    if (fault := locale_fault(locale)) is not None:
        raise InvalidRequest.at("/locale", fault)
    locale = spelt_locale(locale)
    read = await require_text(host, caller, arguments["object"])
    assert read.text is not None
    if len(read.text) > MAX_CHARACTERS:
        raise TooLarge(
            f"At most {MAX_CHARACTERS:,} characters are translated at once; split the document.",
            limit=MAX_CHARACTERS,
        )
    origin = Origin.of(arguments, read.found, STEP, locale=locale)
    await check_place(host, caller, origin)
    steps = paragraphs.split_groups(read.text.replace("\r\n", "\n"))
    groups = await TEXTS.run_steps(caller.org_id, steps)
    job_id = running_job.get().id or ""
    work = _Translating(host.service(Translator), caller, locale, _put_off.pop(job_id, {}))
    try:
        text = await work.run(groups)
    except RetryLater:
        _store_put_off(job_id, work.done)
        raise
    if work.untranslated:
        text = _with_notice(text, _UNTRANSLATED.format(locale=locale))
    written = await write_output(host, caller, origin, text)
    return document(
        written,
        work.summary(read.found.current.filename),
        locale=locale,
        model=work.model,
        simulated=work.simulated,
        untranslated=work.untranslated,
        unchanged=work.unchanged,
    )


def _store_put_off(job_id: str, done: dict[str, Translation]) -> None:
    """Keeps what a job had translated when it was put off: no model is paid twice for it."""
    if job_id and done:
        _put_off[job_id] = done
        while len(_put_off) > _MAX_PUT_OFF:
            del _put_off[next(iter(_put_off))]


def _with_notice(text: str, notice: str) -> str:
    """Returns the text with a notice at its top; front matter would be none behind anything else."""
    head = paragraphs.front_matter(text)
    return f"{head}\n\n{notice}{text[len(head) :].lstrip(chr(10))}" if head else notice + text


@dataclass(slots=True, eq=False)
class _Translating:
    """The translation of one document; `unchanged` counts paragraphs whose translation lost its form."""

    translator: Translator
    caller: Principal
    locale: str
    done: dict[str, Translation]
    model: str | None = None
    simulated: bool = False
    untranslated: bool = False
    unchanged: int = 0
    _made: list[str] = field(default_factory=list)

    async def run(self, groups: Sequence[Sequence[Paragraph]]) -> str:
        for number, group in enumerate(groups):
            if (report := running_job.get().progress) is not None:
                await report(number / len(groups))
            if not group[0].translatable:
                self._append(group)
            elif len(group) == 1 or not await self._together(group):
                for paragraph in group:
                    await self._alone(paragraph)
        return "".join(self._made).rstrip() + "\n"

    async def _together(self, group: Sequence[Paragraph]) -> bool:
        """Translates a group in one turn; False where the answer is not divided as its source is."""
        answer = await self._translate("\n\n".join(paragraph.text for paragraph in group))
        parts = paragraphs.divided(answer, group)
        if parts is None:
            return False
        for paragraph, part in zip(group, parts, strict=True):
            self._made.append(part + paragraph.after)
        return True

    async def _alone(self, paragraph: Paragraph) -> None:
        """Translates a paragraph; one whose placeholders do not come through stays as it is."""
        answer = await self._translate(paragraph.text)
        if paragraphs.is_faithful(paragraph.text, answer):
            self._made.append(paragraphs.formed_like(paragraph.text, answer) + paragraph.after)
        else:
            self.unchanged += 1
            self._append([paragraph])

    async def _translate(self, text: str) -> str:
        made = self.done.get(text)
        if made is None:
            made = await self.translator.translate(self.caller, text, self.locale, recorded=False)
            self.done[text] = made
        self.model = made.model
        self.simulated |= made.simulated
        self.untranslated |= made.untranslated
        return made.text

    def _append(self, group: Sequence[Paragraph]) -> None:
        self._made += [paragraph.text + paragraph.after for paragraph in group]

    def summary(self, filename: str) -> str:
        if self.untranslated:
            return f"{filename}, not translated into {self.locale}: no model is configured"
        kept = f", {self.unchanged} paragraphs as they were" if self.unchanged else ""
        return f"{filename} in {self.locale}{kept}"
