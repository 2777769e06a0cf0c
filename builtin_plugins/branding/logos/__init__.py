"""Logos: from base64 in a body to bytes that are a picture and nothing else."""
