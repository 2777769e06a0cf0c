"""Prospects: who signed up, what was decided about them, and how long they are kept."""
