"""Translation: texts and catalogs in another language, by the team's glossary."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from builtin_plugins.translation import glossary, history
from builtin_plugins.translation.handlers import HANDLERS
from builtin_plugins.translation.history import KEEP_TRANSLATIONS_DAYS, OLD_TRANSLATIONS
from builtin_plugins.translation.routes import FACTORIES, ROUTES
from builtin_plugins.translation.translator import GlossaryTranslator
from guildhall_sdk import Call, Factory, Feature, Host, Migrations, Plugin, Reply, Route, Setting, hookimpl
from guildhall_sdk.plugin import TeamContent, moved_by
from guildhall_sdk.retention import Retained
from guildhall_sdk.services.localization import MessageCatalogs, Translator
from guildhall_sdk.services.pages import Screen

FEATURES = (Feature("translate", "Translate texts and catalogs"),)

CONTENT = TeamContent(
    name="glossary terms",
    held=glossary.sql.held_by_team,
    move=moved_by(
        glossary.sql.open_glossary,
        glossary.sql.move_terms,
        glossary.sql.count_terms_anew,
        history.sql.move_translations,
    ),
)

PLUGIN = Plugin(
    id="translation",
    name="Translation",
    version="0.1.0",
    description="Texts and catalogs in another language, by the team's glossary.",
    requires=("quotas", "ai", "retention"),
)


@hookimpl
def declare_routes() -> Sequence[Route]:
    return ROUTES


@hookimpl
def declare_handlers() -> Mapping[str, Callable[[Call], Awaitable[Reply]]]:
    return HANDLERS


@hookimpl
def declare_settings() -> Sequence[Setting[Any]]:
    return (KEEP_TRANSLATIONS_DAYS,)


@hookimpl
def declare_features() -> Sequence[Feature]:
    return FEATURES


@hookimpl
def declare_retained() -> Sequence[Retained]:
    return (OLD_TRANSLATIONS,)


@hookimpl
def declare_team_contents() -> Sequence[TeamContent]:
    return (CONTENT,)


@hookimpl
def declare_services() -> Mapping[type[Any], Callable[[Host], Any]]:
    return {Translator: GlossaryTranslator}


@hookimpl
def declare_migrations() -> Migrations:
    return Migrations(Path(__file__).with_name("migrations"))


@hookimpl
def declare_factories() -> Sequence[Factory]:
    return FACTORIES


@hookimpl
def declare_screens() -> Sequence[Screen]:
    return (
        Screen(
            "translate",
            "/translate",
            "nav.translate",
            "languages",
            "ai",
            order=20,
            permission="chat:use",
            feature="translate",
        ),
        Screen("glossary", "/glossary", "nav.glossary", "book-text", "ai", order=30, permission="chat:use"),
    )


@hookimpl
def declare_catalogs() -> Sequence[MessageCatalogs]:
    return (MessageCatalogs(namespace="translation", folder=Path(__file__).with_name("texts")),)
