"""Why bytes are not taken as a logo."""


class NotALogo(Exception):
    """In words that follow "the data …"."""
