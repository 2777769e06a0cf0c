"""The language of workflows: how a spec is written, checked and bound to values."""
