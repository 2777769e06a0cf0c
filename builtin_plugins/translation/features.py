"""What a team can turn off of translation."""

from guildhall_sdk import Feature

FEATURES = (Feature("translate", "Translate texts and catalogs"),)
