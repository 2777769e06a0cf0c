"""What a team's bucket throws away by the team's own rules."""
