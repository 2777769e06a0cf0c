"""The rows of beta."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from guildhall_client.sending import OMITTED, Omitted, segment
from guildhall_client.synchronous.api import Api
from guildhall_client.synchronous.downloads import Download
from guildhall_client.synchronous.paging import Pages
from guildhall_client.types.beta import (
    BetaChallenge,
    BetaConfig,
    BetaCreateAssetReply,
    BetaCreateAssetReplyPage,
    BetaDecideProspectReply,
    BetaDecideProspectReplyPage,
    BetaExperience,
    BetaExperienceVersion,
    BetaExperienceVersionPage,
    BetaPreviewExperienceReply,
    BetaPublishExperienceReply,
    BetaSignupReply,
    SetExperienceBetaAssets,
    SetExperienceBetaField,
)


class Beta:
    """Calls of beta."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def asset(self, id: str) -> Download:
        """A picture or a font by its id."""
        return Download(self._api, f"/api/beta/asset/{segment(id)}")

    def assets(
        self, *, page_size: int | None = None
    ) -> Pages[BetaCreateAssetReply, BetaCreateAssetReplyPage]:
        """The team's assets, newest first.

        Needs settings:manage.
        """
        return Pages(self._api, "/api/beta/assets", query={"limit": page_size})

    def challenge(self) -> BetaChallenge:
        """A proof-of-work challenge to solve before signing up."""
        reply: BetaChallenge = self._api.call("GET", "/api/beta/challenge")
        return reply

    def config(self, *, locale: str | None = None) -> BetaConfig:
        """What the funnel of this hostname asks and says, in one language.

        `locale`: A language such as nl-BE; else the browser's
        """
        reply: BetaConfig = self._api.call("GET", "/api/beta/config", query={"locale": locale})
        return reply

    def create_asset(
        self,
        *,
        content_type: Literal[
            "image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml", "font/woff2", "font/woff"
        ],
        data: str,
        kind: Literal["logo", "hero", "font"],
        filename: str | Omitted = OMITTED,
    ) -> BetaCreateAssetReply:
        """Upload a logo, a hero picture or a font for the team's experience.

        `content_type`: Must be what the data is by its content
        `data`: In base64, at most 2097152 bytes
        Needs settings:manage.
        """
        reply: BetaCreateAssetReply = self._api.call(
            "POST",
            "/api/beta/assets",
            fields={"content_type": content_type, "data": data, "filename": filename, "kind": kind},
        )
        return reply

    def decide_prospect(
        self, id: str, *, decision: Literal["accept", "decline"], note: str | Omitted = OMITTED
    ) -> BetaDecideProspectReply:
        """Accept or decline a prospect; another decision takes the place of the first.

        Needs settings:manage.
        """
        reply: BetaDecideProspectReply = self._api.call(
            "POST", f"/api/beta/prospects/{segment(id)}/decide", fields={"decision": decision, "note": note}
        )
        return reply

    def delete_asset(self, id: str) -> None:
        """Delete an asset; a page that shows it goes on without it.

        Needs settings:manage.
        """
        self._api.call("DELETE", f"/api/beta/asset/{segment(id)}")

    def delete_prospect(self, id: str) -> None:
        """Erase all that is known of a prospect.

        Needs settings:manage.
        """
        self._api.call("DELETE", f"/api/beta/prospects/{segment(id)}")

    def experience(self) -> BetaExperience:
        """The team's draft, its judge prompt too; before the first save, what is shown without one.

        Needs settings:manage.
        """
        reply: BetaExperience = self._api.call("GET", "/api/beta/experience")
        return reply

    def experience_versions(
        self, *, page_size: int | None = None
    ) -> Pages[BetaExperienceVersion, BetaExperienceVersionPage]:
        """What the team has published, newest first.

        Needs settings:manage.
        """
        return Pages(self._api, "/api/beta/experience/versions", query={"limit": page_size})

    def preview_experience(self) -> BetaPreviewExperienceReply:
        """An address at which the team's saved draft can be looked at, in a frame, for ten minutes.

        Needs settings:manage.
        """
        reply: BetaPreviewExperienceReply = self._api.call("POST", "/api/beta/experience/preview")
        return reply

    def prospect(self, id: str) -> BetaDecideProspectReply:
        """One who signed up, with signals and verdict.

        Needs settings:manage.
        """
        reply: BetaDecideProspectReply = self._api.call("GET", f"/api/beta/prospects/{segment(id)}")
        return reply

    def prospects(
        self,
        *,
        page_size: int | None = None,
        status: Literal["captured", "accepted", "declined"] | None = None,
        q: str | None = None,
        format: Literal["json", "csv"] | None = None,
    ) -> Pages[BetaDecideProspectReply, BetaDecideProspectReplyPage]:
        """Who signed up on the team's page, newest first, with signals and verdicts; also as CSV.

        `q`: Stands in one of the answers, in any case
        `format`: csv gives all of them as a table, as Accept: text/csv does
        Needs settings:manage.
        """
        return Pages(
            self._api,
            "/api/beta/prospects",
            query={"limit": page_size, "status": status, "q": q, "format": format},
        )

    def publish_experience(self) -> BetaPublishExperienceReply:
        """Publish the saved draft: the next visitor sees it.

        Needs settings:manage.
        """
        reply: BetaPublishExperienceReply = self._api.call("POST", "/api/beta/experience/publish")
        return reply

    def restore_experience(
        self, *, plugin: str | Omitted = OMITTED, version: int | Omitted = OMITTED
    ) -> BetaExperience:
        """Save a version that the team has published, or what a plugin offers, as its draft.

        `plugin`: One of the draft's offers, instead
        `version`: One that the team has published
        Needs settings:manage.
        """
        reply: BetaExperience = self._api.call(
            "POST", "/api/beta/experience/restore", fields={"plugin": plugin, "version": version}
        )
        return reply

    def set_experience(
        self,
        *,
        assets: SetExperienceBetaAssets | Omitted = OMITTED,
        copy: Mapping[str, Any] | Omitted = OMITTED,
        fields: Sequence[SetExperienceBetaField] | Omitted = OMITTED,
        judge_prompt: str | Omitted = OMITTED,
        offers: Any = OMITTED,
        saved_at: Any = OMITTED,
        saved_by: Any = OMITTED,
        template: str | Omitted | None = OMITTED,
        theme: Mapping[str, Any] | Omitted = OMITTED,
        version: Any = OMITTED,
    ) -> BetaExperience:
        """Save the team's draft; fields that are left out stay as they are.

        `assets`: Ids of the team's assets, or paths below /beta/bundle/
        `copy`: Texts by language, then by key: title, subtitle, submit, thanks; label_<field>,
            help_<field>, placeholder_<field> and option_<field>_<n> are of the form; a template has
            slots for all
        `judge_prompt`: How prospects are judged; never public
        `offers`: As it was read; ignored
        `saved_at`: As it was read; ignored
        `saved_by`: As it was read; ignored
        `theme`: Theme tokens, as branding takes them
        `version`: As it was read; ignored
        Needs settings:manage.
        """
        reply: BetaExperience = self._api.call(
            "PUT",
            "/api/beta/experience",
            fields={
                "assets": assets,
                "copy": copy,
                "fields": fields,
                "judge_prompt": judge_prompt,
                "offers": offers,
                "saved_at": saved_at,
                "saved_by": saved_by,
                "template": template,
                "theme": theme,
                "version": version,
            },
        )
        return reply

    def signup(
        self,
        *,
        challenge: Any,
        fields: Mapping[str, Any],
        locale: str | Omitted = OMITTED,
        website: str | Omitted = OMITTED,
    ) -> BetaSignupReply:
        """Sign up with the fields of the published experience and a solved challenge.

        `challenge`: The challenge as it was given: nonce, difficulty, expires_at, signature; and
            `solution`
        `fields`: The answers, by the names of the fields that GET /api/beta/config gives
        `locale`: The language that the visitor reads
        `website`: A trap for robots: people do not see it, and leave it empty
        """
        reply: BetaSignupReply = self._api.call(
            "POST",
            "/api/beta/signup",
            fields={"challenge": challenge, "fields": fields, "locale": locale, "website": website},
        )
        return reply
