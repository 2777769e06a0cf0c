"""Data of an earlier version, and whether it opens with this one."""
