"""The manager of translations: import, coverage, submit, review, history, discard and export."""
