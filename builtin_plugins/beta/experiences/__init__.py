"""Experiences: what the funnel's page asks and says, who sees which, and its draft and versions."""
