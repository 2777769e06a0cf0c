"""Small libraries of our own that know nothing of Guildhall."""
