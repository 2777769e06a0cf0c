"""Bundles in a frame of the console: a frame sends no bearer, so its address is a ticket."""
