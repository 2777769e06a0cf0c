"""One module per subject, with a `NAME` and a `run(report)`; a new one is found by being here."""
