"""The command line ``swgg``, the same as the binary."""

from __future__ import annotations

import signal
import sys

from . import _swgg


def main() -> int:
    """Runs the arguments of this process."""
    # Python only notes signals down, for when its own code runs again; the command answers Ctrl-C itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _swgg.main(["swgg", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
