"""Experiences that nobody has published: of the operator, of a plugin, and the one that is always there."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from builtin_plugins.beta.experiences.document import Document
from builtin_plugins.beta.experiences.validation import MAX_DOCUMENT, validated_document
from guildhall_sdk import Host, InvalidRequest, Setting
from guildhall_sdk.hooks import Declarer
from guildhall_sdk.plugin import Plugins
from guildhall_sdk.services.pages import Experience
from guildhall_sdk.settings import path
from libs.strict_json import JsonFault, decode_json

_MINIMAL = {
    "fields": [{"name": "email", "type": "email", "label": "E-mail", "required": True}],
    "copy": {
        "en": {
            "title": "Join the beta",
            "subtitle": "Leave your address. People read the list, and get in touch when there is room.",
            "submit": "Ask for access",
            "thanks": "Thank you. Your address is on the list; no mail is sent now.",
            "label_email": "E-mail",
        },
        "es": {
            "title": "Únete a la beta",
            "subtitle": "Déjanos tu correo. Una persona lee la lista y te escribe cuando haya sitio.",
            "submit": "Pedir acceso",
            "thanks": "Gracias. Tu dirección está en la lista; ahora no se envía ningún correo.",
            "label_email": "Correo electrónico",
        },
        "nl": {
            "title": "Doe mee met de bèta",
            "subtitle": "Laat je adres achter. Iemand leest de lijst en neemt contact op zodra er plek is.",
            "submit": "Toegang vragen",
            "thanks": "Dank je wel. Je adres staat op de lijst; er wordt nu geen e-mail verstuurd.",
            "label_email": "E-mailadres",
        },
        "is": {
            "title": "Vertu með í prófuninni",
            "subtitle": "Skildu eftir netfangið þitt. Fólk les listann og hefur samband þegar pláss losnar.",
            "submit": "Biðja um aðgang",
            "thanks": "Takk fyrir. Netfangið þitt er á listanum; enginn tölvupóstur er sendur núna.",
            "label_email": "Netfang",
        },
    },
}
#: The plugin that ships with Guildhall, in a folder that operators may leave out.
_SHIPPED = "beta-onboarding"
MINIMAL = validated_document(_MINIMAL, asset_ids=False)


@dataclass(frozen=True, slots=True)
class SeedFile:
    """The experience in a file of the operator."""

    path: str
    document: Document

    def __str__(self) -> str:
        return self.path


def seed_file(given: str) -> SeedFile:
    """Reads and validates the file; raises `ValueError` with one line that says what is wrong and where."""
    try:
        content = _read(path(given))
        return SeedFile(given, validated_document(decode_json(content), asset_ids=False))
    except (InvalidRequest, JsonFault) as refusal:
        raise ValueError(f"{given} is no experience: {refusal.detail}") from None


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_DOCUMENT + 1)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    if len(content) > MAX_DOCUMENT:
        raise ValueError(f"{file} has more than {MAX_DOCUMENT // 1024} KiB")
    return content


def check_contribution(experience: Experience, declarer: Declarer) -> None:
    """Judges an experience that a plugin brings; a wrong one keeps the plugin out."""
    validated_document(experience.document, asset_ids=False)


class Seeds:
    """What is shown where nobody has published: the operator's, else the shipped plugin's, else our own.

    What another plugin brings is offered, and shown once somebody has published it: installing a plugin does
    not change a public page.
    """

    def __init__(self, host: Host, operators: SeedFile | None) -> None:
        self._host = host
        self._operators = operators
        self._validated: dict[str, tuple[Experience, Document]] = {}

    def document(self) -> Document:
        """Returns it as of now: a plugin that was taken out again brings nothing."""
        if self._operators is not None:
            return self._operators.document
        return self.offered(_SHIPPED) or MINIMAL

    def offers(self) -> list[str]:
        """Returns the ids of the plugins that bring an experience."""
        return list(dict.fromkeys(plugin for plugin, _ in self._contributed()))

    def offered(self, plugin_id: str) -> Document | None:
        """Returns what a plugin brings, the first where it brings several."""
        found = next((one for plugin, one in self._contributed() if plugin == plugin_id), None)
        if found is None:
            return None
        known = self._validated.get(plugin_id)
        if known is None or known[0] is not found:
            known = self._validated[plugin_id] = (found, validated_document(found.document, asset_ids=False))
        return known[1]

    def _contributed(self) -> Sequence[tuple[str, Experience]]:
        return self._host.service(Plugins).owned(Experience)


EXPERIENCE: Setting[SeedFile | None] = Setting(
    name="experience",
    help="path of a JSON file: the experience that is shown until a team publishes its own",
    default=None,
    parse=seed_file,
)
SETTINGS: Sequence[Setting[Any]] = (EXPERIENCE,)
