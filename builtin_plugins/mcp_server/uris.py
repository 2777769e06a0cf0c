"""How resources are named."""

NOTES = "guildhall://notes/"
OBJECTS = "guildhall://objects/"


def note_uri(note_id: str) -> str:
    return f"{NOTES}{note_id}"


def object_uri(object_id: str) -> str:
    return f"{OBJECTS}{object_id}"
