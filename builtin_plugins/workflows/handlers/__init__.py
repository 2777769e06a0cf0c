"""HTTP in and out of workflows and runs."""

from builtin_plugins.workflows.handlers import definitions, runs

HANDLERS = {**definitions.HANDLERS, **runs.HANDLERS}
