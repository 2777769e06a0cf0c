"""What the type and the name of a document say it is."""

from pathlib import PurePosixPath

from builtin_plugins.repo.extraction.reading.kinds import Kind

_OFFICE = "application/vnd.openxmlformats-officedocument."
_TYPES = {
    "text/markdown": Kind.MARKDOWN,
    "text/x-markdown": Kind.MARKDOWN,
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.HTML,
    "text/csv": Kind.CSV,
    "application/csv": Kind.CSV,
    "text/tab-separated-values": Kind.CSV,
    "application/json": Kind.JSON,
    "text/json": Kind.JSON,
    "application/pdf": Kind.PDF,
    "application/x-pdf": Kind.PDF,
    f"{_OFFICE}wordprocessingml.document": Kind.DOCX,
    f"{_OFFICE}wordprocessingml.template": Kind.DOCX,
    "application/vnd.ms-word.document.macroenabled.12": Kind.DOCX,
    f"{_OFFICE}spreadsheetml.sheet": Kind.XLSX,
    f"{_OFFICE}spreadsheetml.template": Kind.XLSX,
    "application/vnd.ms-excel.sheet.macroenabled.12": Kind.XLSX,
    f"{_OFFICE}presentationml.presentation": Kind.PPTX,
    f"{_OFFICE}presentationml.slideshow": Kind.PPTX,
    f"{_OFFICE}presentationml.template": Kind.PPTX,
    "application/vnd.ms-powerpoint.presentation.macroenabled.12": Kind.PPTX,
    **dict.fromkeys(
        (
            *("application/xml", "application/yaml", "application/x-yaml", "application/toml"),
            *("application/javascript", "application/x-javascript", "application/typescript"),
            *("application/sql", "application/x-sh", "application/x-ndjson", "application/jsonl"),
            *("application/x-tex", "application/x-subrip"),
        ),
        Kind.TEXT,
    ),
}
_SUFFIXES = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), Kind.MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml"), Kind.HTML),
    **dict.fromkeys((".csv", ".tsv", ".tab"), Kind.CSV),
    **dict.fromkeys((".json", ".geojson", ".ipynb"), Kind.JSON),
    ".pdf": Kind.PDF,
    **dict.fromkeys((".docx", ".docm", ".dotx"), Kind.DOCX),
    **dict.fromkeys((".xlsx", ".xlsm", ".xltx"), Kind.XLSX),
    **dict.fromkeys((".pptx", ".pptm", ".potx", ".ppsx"), Kind.PPTX),
    **dict.fromkeys(
        (
            *(".txt", ".text", ".log", ".rst", ".adoc", ".org", ".tex", ".srt", ".vtt", ".eml", ".ics"),
            *(".xml", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".properties", ".jsonl", ".ndjson"),
            *(".py", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".css", ".scss", ".sql", ".sh", ".bat", ".ps1"),
            *(".c", ".h", ".cpp", ".hpp", ".cs", ".java", ".kt", ".go", ".rs", ".rb", ".php", ".swift"),
            *(".vcf", ".lua", ".r", ".pl", ".diff", ".patch"),
        ),
        Kind.TEXT,
    ),
}
# Types that say nothing, or that programs give to what they are not: the name decides.
_VAGUE = frozenset(
    {
        *("", "application/octet-stream", "binary/octet-stream", "application/x-download"),
        *("application/zip", "application/x-zip-compressed"),
        *("application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"),
    }
)
_TEXTS = frozenset(
    {"readme", "license", "copying", "changelog", "authors", "notice", "makefile", "dockerfile"}
)
_NOT_PLAIN = frozenset({"text/rtf", "text/richtext"})


def declared_kind(content_type: str, filename: str) -> Kind | None:
    """Returns the kind that the type or the name declares, or None where no reader is known for it."""
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type in _VAGUE:
        name = PurePosixPath(filename)
        # What has neither a type nor an ending is data of some program, far more often than text.
        return Kind.TEXT if name.name.lower() in _TEXTS else _SUFFIXES.get(name.suffix.lower())
    if media_type in _TYPES:
        return _TYPES[media_type]
    if media_type.startswith("text/") and media_type not in _NOT_PLAIN:
        return Kind.TEXT
    return Kind.JSON if media_type.startswith("application/") and media_type.endswith("+json") else None
