"""What plugins declare, and what must be true of it before they are let in."""
