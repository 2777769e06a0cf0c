"""The command line as if it were of another version, which is its first word."""

import sys
from collections.abc import Mapping
from dataclasses import replace

import kernel
from kernel.cli import main
from kernel.cli.command_hosts import MachineHost
from kernel.config import Settings

if __name__ == "__main__":
    kernel.__version__, *words = sys.argv[1:]
    MachineHost.version = kernel.__version__
    usual = Settings.from_environment

    def from_environment(environ: Mapping[str, str]) -> Settings:
        return replace(usual(environ), version=kernel.__version__)

    Settings.from_environment = from_environment  # type: ignore[method-assign,assignment]
    sys.exit(main(words))
