"""Dataclasses as records: of the rows of a database, and stored as JSON for other versions of a program."""

from libs.records.rows import record_of, record_or_none
from libs.records.stored import FieldsMissing, content_of, record_fault, restored

__all__ = ["FieldsMissing", "content_of", "record_fault", "record_of", "record_or_none", "restored"]
