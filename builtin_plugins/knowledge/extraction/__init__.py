"""Extraction: a model names who and what a document speaks of; each thing it says is judged by the text."""

from builtin_plugins.knowledge.extraction.extractor import ask_for_derived, extract, list_unextracted

__all__ = ["ask_for_derived", "extract", "list_unextracted"]
