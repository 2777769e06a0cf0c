"""The language of workflows: how a spec is written, judged and bound to values."""
