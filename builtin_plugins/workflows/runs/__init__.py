"""Runs: how a workflow is walked, one job for each step."""
