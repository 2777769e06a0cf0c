"""The names that parts of a run know one another by."""

STEP_KIND = "workflows.step"
#: The error of a job whose run was over before it began: its step is cancelled.
RUN_ENDED = "run_ended"
MAX_OUTPUT_BYTES = 1024 * 1024
