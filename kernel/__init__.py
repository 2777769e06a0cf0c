"""The microkernel: it knows no feature and declares no business route."""

__version__ = "0.2.0"
