"""What the rows of workflows and runs take and give."""
