"""How a conformance test fails."""


class ConformanceFailure(AssertionError):
    """Says which row did not do what every row must do."""
