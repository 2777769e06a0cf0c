"""`guildhall` and the words of `WORDS`, where nobody can import uvloop."""

import os
import sys

from kernel.cli import main

if __name__ == "__main__":
    sys.modules["uvloop"] = None  # type: ignore[assignment]
    sys.exit(main(os.environ["WORDS"].split()))
