"""How much work a turn may cause."""


class OutOfBudget(Exception):
    """The schema takes more steps than are worth it."""


class Budget:
    """How many steps may still be taken."""

    def __init__(self, steps: int) -> None:
        self._left = steps

    def spend(self, steps: int = 1) -> None:
        self._left -= steps
        if self._left < 0:
            raise OutOfBudget
