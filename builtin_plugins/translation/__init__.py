"""Translation: texts and catalogs in another language, by the team's glossary."""

from guildhall_sdk import Plugin

PLUGIN = Plugin(
    id="translation",
    name="Translation",
    version="0.1.0",
    description="Texts and catalogs in another language, by the team's glossary.",
    requires=("quotas", "ai"),
)
