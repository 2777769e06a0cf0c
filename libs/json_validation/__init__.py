"""JSON values against JSON Schema 2020-12: every problem at once, each with its place, in plain words."""

from libs.json_validation.messages import MAX_ERRORS, Complaint
from libs.json_validation.queries import TooManyParameters, decode_query, parse_query
from libs.json_validation.validator import Misfit, Validator

__all__ = [
    "MAX_ERRORS",
    "Complaint",
    "Misfit",
    "TooManyParameters",
    "Validator",
    "decode_query",
    "parse_query",
]
