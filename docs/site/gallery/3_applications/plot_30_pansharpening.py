"""
Sharper satellite images, by the command line
=============================================

A satellite takes one sharp gray image and several blurred bands of the same ground. ``swgg pansharpen`` makes the bands as sharp as
the gray one. It is a program; this example calls it from Python as a shell would, with files in between.
"""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

# %%
# A village from above, drawn here: fields, roofs and roads. The sharp image sees its brightness, the bands see it blurred four
# times.

rng = np.random.default_rng(22)
truth = np.zeros((256, 256, 3))
y, x = np.mgrid[0:256, 0:256]
field = (np.sin(x / 37.0 + 2.0 * np.sin(y / 61.0)) > 0.0)[..., None]
truth[:] = np.where(field, [96.0, 130.0, 70.0], [150.0, 140.0, 90.0])
truth[np.abs(y - 120 - 20 * np.sin(x / 50.0)) < 3] = [140.0, 140.0, 145.0]
for _ in range(70):
    top, left = rng.integers(0, 244, 2)
    truth[top : top + rng.integers(5, 12), left : left + rng.integers(5, 12)] = [rng.uniform(120, 220), rng.uniform(60, 110), rng.uniform(50, 90)]
truth = np.clip(truth + rng.normal(0.0, 3.0, truth.shape), 0.0, 255.0)
pan = truth.mean(axis=2)
bands = truth.reshape(64, 4, 64, 4, 3).mean(axis=(1, 3))


def pixels(path):
    """An uncompressed TIFF of three bytes a pixel: entry 273 of its table says where they begin."""
    raw = path.read_bytes()
    (table,) = struct.unpack_from("<I", raw, 4)
    (count,) = struct.unpack_from("<H", raw, table)
    entries = (struct.unpack_from("<HHII", raw, table + 2 + 12 * k) for k in range(count))
    begin = next(value for tag, _, _, value in entries if tag == 273)
    return np.frombuffer(raw, np.uint8, 256 * 256 * 3, begin).reshape(256, 256, 3).astype(float)


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    Image.fromarray(pan.astype(np.uint8)).save(folder / "pan.tif")
    Image.fromarray(bands.astype(np.uint8)).save(folder / "bands.tif")
    command = [sys.executable, "-m", "swgg", "pansharpen", "pan.tif", "bands.tif", "sharp.tif", "--rounds", "0", "--json"]
    told = json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)
    sharp = pixels(folder / "sharp.tif")

# %%
# What ``--json`` says is for scripts.

print(f"ratio {told['ratio']}, {told['superpixels']} superpixels")

# %%
# How much nearer to the truth than the bands enlarged?

blurred = np.repeat(np.repeat(bands, 4, axis=0), 4, axis=1)
for name, image in (("enlarged", blurred), ("sharpened", sharp)):
    print(f"{name}: off by {np.sqrt(((image - truth) ** 2).mean()):.1f} of 255")

figure, panels = plt.subplots(1, 4, figsize=(12, 3.3), layout="constrained")
panels[0].imshow(pan, cmap="gray")
for panel, image in zip(panels[1:], (blurred, sharp, truth)):
    panel.imshow(image.clip(0, 255).astype(np.uint8))
for panel, title in zip(panels, ("sharp, gray", "bands, blurred", "bands, sharpened", "the truth")):
    panel.set_title(title)
    panel.axis("off")
plt.show()
