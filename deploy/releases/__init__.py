"""What `make release` does: `python -m deploy.releases dist`."""
