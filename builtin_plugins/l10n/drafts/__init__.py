"""Drafts: a model translates what is missing, within frames that it cannot change."""
