"""Companies, teams and people."""
