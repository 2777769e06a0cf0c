"""Passages of a text, each with its place."""

from libs.passages.cutting import LONGEST, Kind, Passage, estimated_tokens, kind_of, passages, sections

__all__ = ["LONGEST", "Kind", "Passage", "estimated_tokens", "kind_of", "passages", "sections"]
