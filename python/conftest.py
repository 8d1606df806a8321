"""Docstrings that need an optional package are left out where it is not installed."""

from __future__ import annotations

import importlib.util

collect_ignore = [] if importlib.util.find_spec("torch") else ["swgg/torch.py"]
