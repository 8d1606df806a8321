"""Runs every example of the gallery, in one process, without a window; warnings are errors.

usage: gallery.py GALLERY_DIRECTORY
"""

import runpy
import sys
import time
import warnings
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

scripts = sorted(Path(sys.argv[1]).glob("*/plot_*.py"))
if len(scripts) < 20:
    sys.exit(f"{sys.argv[1]} has {len(scripts)} examples, at least 20 are promised")
begin = time.perf_counter()
for script in scripts:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Agg has nothing to show, and says so.
        warnings.filterwarnings("ignore", message=".*non-interactive.*")
        try:
            runpy.run_path(str(script), run_name="__main__")
        except BaseException:
            print(f"{script} failed", file=sys.stderr)
            raise
    if not plt.get_fignums():
        sys.exit(f"{script} draws nothing")
    plt.close("all")
print(f"{len(scripts)} examples of the gallery in {time.perf_counter() - begin:.0f} s")
