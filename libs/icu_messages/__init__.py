"""ICU messages: read in one pass, compared with their source, and the plural categories of languages."""

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
    "knows_plurals",
    "parse_message",
    "plural_categories",
]
