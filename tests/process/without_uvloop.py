"""`guildhall` and the words of `WORDS`, where nobody can import uvloop."""

import os
import sys

from tests import commands

if __name__ == "__main__":
    sys.modules["uvloop"] = None  # type: ignore[assignment]
    sys.exit(commands.main(os.environ["WORDS"].split()))
