"""ICU messages: read in one pass, compared with their source, and written for a reader."""

from libs.icu_messages.formatting import format_message
from libs.icu_messages.messages import (
    MAX_MESSAGE_DEPTH,
    Argument,
    Branch,
    Message,
    MessageFault,
    argument_differences,
    category_faults,
    parse_message,
)
from libs.icu_messages.plurals import PLURAL_CATEGORIES, knows_plurals, plural_categories

__all__ = [
    "MAX_MESSAGE_DEPTH",
    "PLURAL_CATEGORIES",
    "Argument",
    "Branch",
    "Message",
    "MessageFault",
    "argument_differences",
    "category_faults",
    "format_message",
    "knows_plurals",
    "parse_message",
    "plural_categories",
]
