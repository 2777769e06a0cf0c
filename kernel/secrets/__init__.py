"""Envelope encryption: the instance's secret key wraps data keys, and data keys seal secrets."""
