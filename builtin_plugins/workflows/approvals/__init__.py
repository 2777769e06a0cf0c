"""Approvals: what runs wait for somebody to decide."""
