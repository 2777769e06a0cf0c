"""HTTP in and out, by subject."""

from builtin_plugins.jobs.handlers import jobs, workers

HANDLERS = {**jobs.HANDLERS, **workers.HANDLERS}
