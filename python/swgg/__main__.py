"""The command line ``swgg``, the same as the binary."""

from __future__ import annotations

import sys

from . import _swgg


def main() -> int:
    """Runs the arguments of this process."""
    return _swgg.main(["swgg", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
