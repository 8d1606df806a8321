"""The look of the gallery's pictures."""

import matplotlib


def look(gallery_conf, name):
    """Called by the gallery before each example, after matplotlib's own settings came back."""
    matplotlib.rcParams.update({"figure.dpi": 100, "font.size": 10, "axes.titlesize": 10, "savefig.facecolor": "white"})
