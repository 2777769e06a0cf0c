"""Small libraries of our own, which know nothing of the server and of one another."""
