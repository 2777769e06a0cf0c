"""The agent: a model in a loop with the team's tools, each call checked as the caller."""
