"""Assets: the pictures and fonts of a team's experience, public by their ids."""
