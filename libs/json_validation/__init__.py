"""JSON values against JSON Schema 2020-12: every problem at once, each with its place, in plain words."""

from libs.json_validation.messages import MAX_ERRORS, Complaint, choices, described, first_of
from libs.json_validation.validator import Misfit, Validator

__all__ = ["MAX_ERRORS", "Complaint", "Misfit", "Validator", "choices", "described", "first_of"]
