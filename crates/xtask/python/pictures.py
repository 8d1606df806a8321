"""The pictures of docs/color.md, docs/pansharpening.md and docs/flows.md: scenes drawn by formulas, and what the commands make of them.

    pictures.py SWGG DIRECTORY    writes color.png, colorize.png, pansharpening.png and flow.svg
"""

import os
import subprocess
import sys
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter, gaussian_filter1d, map_coordinates

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "bench"))
from color import read_tiff, write_png, write_tiff

HEIGHT, WIDTH, RATIO = 360, 480, 4
Y, X = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)

# Colours of the sky (above, below), of clouds (light, shade), snow, four ridges from far to near, haze, the meadow (far, near),
# its flowers, firs (shade, light), and of the sun (around it, itself) if it is seen.
DAY = "296bd1 b8def7 ffffff b8c7db fafcff 8099c2 5c7a9e 38665c 245733 bdd6ed 85ad38 3d751a fad133 082414 295c24"
EVENING = "3d296b ffa861 ff9e80 854775 ffc7a8 b86b75 854266 52264c 2e142e ffad6b 6b3829 29141f f27340 0d0512 331721 ffcc73 fff2bf"
# From the sky down to the firs each thing is darker than the one before, so that a gray says what it is.
AUTUMN = "99ccfc d6edfc ffffff e0ebf7 f7faff 9eabd6 8a99c9 99611f 784714 adbde0 3b4f0d 243808 b22e1a 05140d 0d1f12"
# Blue, green, red and near infrared, as parts of the light that falls in.
CROPS = [[5, 11, 6, 50], [7, 15, 9, 42], [10, 19, 26, 34], [12, 17, 24, 30], [6, 28, 30, 48], [4, 8, 5, 44], [8, 13, 17, 26]]
ROOFS = [[10, 14, 36, 40], [12, 18, 42, 45], [20, 21, 22, 24], [34, 34, 35, 36], [9, 10, 20, 26], [24, 20, 17, 24]]
CARS = [[60, 60, 60, 60], [8, 8, 45, 40], [40, 20, 10, 20], [4, 4, 4, 5]]
TREE, LAWN, WATER, ROAD, VERGE, POOL = np.array(
    [[3, 7, 4, 38], [5, 12, 7, 46], [10, 12, 7, 3], [17, 18, 19, 21], [12, 15, 16, 28], [42, 36, 14, 5]]) / 100


def noise(rng, scale, octaves=5, stretch=1.0):
    """Mean 0, deviation 1, smooth: blurred noise, each octave half as wide and half as strong as the one before."""
    total = np.zeros((HEIGHT, WIDTH))
    for k in range(octaves):
        width = scale / 2**k
        layer = gaussian_filter(rng.normal(size=total.shape), (width, width * stretch), mode="wrap")
        total += layer / layer.std() / 2**k
    return total / total.std()


def mix(a, b, t):
    """From a to b as t goes from 0 to 1, pixel by pixel."""
    t = np.clip(t, 0, 1)[..., None]
    return np.asarray(a) * (1 - t) + np.asarray(b) * t


def step(values, width):
    """0 below 0 and 1 above, soft over a width."""
    return np.clip(values / width + 0.5, 0, 1)


def landscape(seed, colors):
    """Mountains under clouds, a lake that mirrors them, a meadow and firs; lengths are parts of the height."""
    rng = np.random.default_rng(seed)
    colors = np.array([list(bytes.fromhex(color)) for color in colors.split()]) / 255
    sky, cloud, snow, ridges, haze = colors[0:2], colors[2:4], colors[4], colors[5:9], colors[9]
    meadow, flower, fir, sun = colors[10:12], colors[12], colors[13:15], colors[15:]
    y, x = Y / HEIGHT, X / HEIGHT
    picture = mix(sky[0], sky[1], y / 0.5)
    if len(sun):
        far = np.hypot(x - 0.95, y - 0.36)
        picture = mix(mix(picture, sun[0], 0.8 * np.exp(-far / 0.3)), sun[1], 1.3 * np.exp(-((far / 0.09) ** 2)))
    # Clouds are thinner near the horizon, and their lower sides are in shade.
    cover = noise(rng, 26, 6, 2.2)
    white = mix(cloud[0], cloud[1], 0.45 + 0.5 * (np.roll(cover, 6, axis=0) - cover))
    picture = mix(picture, white, 0.9 * step(cover - 0.55, 1.3) * np.clip(1.25 - 2 * y, 0, 1))
    for k, color in enumerate(ridges):
        near = k / (len(ridges) - 1)
        line = gaussian_filter1d(rng.normal(size=WIDTH), 60 - 25 * near, mode="wrap")
        line = line / line.std() + 0.35 * noise(rng, 30 - 8 * near, 6)[0]
        below = y - 0.36 - 0.22 * near + (0.075 - 0.035 * near) * (line - line.mean())
        slope = noise(rng, 16 - 6 * near, 4, 0.8)
        light = gaussian_filter1d(slope, 2, axis=1, order=1) + 0.6 * gaussian_filter1d(slope, 2, axis=0, order=1)
        light *= (0.5 + 0.5 * near) / light.std()
        body = color * (1 + 0.12 * light)[..., None]
        if k == 0:
            white = snow * (0.92 + 0.1 * np.clip(light, -1, 0.8))[..., None]
            body = mix(body, white, step(0.045 - below + 0.03 * light, 0.03))
        body = mix(body, haze, (0.15 + 2.2 * below) * (1 - 0.75 * near))
        picture = mix(picture, body, step(below, 0.006))
    # The lake is what lies above its shore, upside down and broken by ripples.
    shore = 0.66
    ripple = 0.004 * noise(rng, 3, 3, 6.0) * (1 + 8 * np.clip(y - shore, 0, 1))
    at = np.stack([np.clip(2 * shore - y + 3 * ripple, 0, shore), x + ripple]) * HEIGHT
    mirror = np.stack([map_coordinates(picture[..., k], at, order=1, mode="nearest") for k in range(3)], axis=-1)
    picture = mix(picture, 0.88 * mirror, step(y - shore, 0.004))
    bank = y - 0.80 - 0.05 * np.sin(2.2 * x + 0.6) - 0.006 * noise(rng, 8)[0]
    grass = mix(meadow[0], meadow[1], bank / 0.2 + 0.22 * noise(rng, 12, 6, 1.6))
    spots = noise(rng, 1, 1) + 0.7 * noise(rng, 14, 2)
    grass = mix(grass, flower, 0.9 * step(spots - 2.2 - 1.5 * (0.95 - y), 0.5))
    picture = mix(picture, grass, step(bank, 0.005))
    places, sizes = rng.uniform(0, WIDTH / HEIGHT, 26), rng.uniform(0.10, 0.34, 26)
    # From the far ones to the near ones, and none in the middle, where the view is.
    for size, place in sorted((size, place) for size, place in zip(sizes, places) if abs(place - 0.7) > 0.32):
        rise = (0.80 + 0.05 * np.sin(2.2 * place + 0.6) + 0.35 * size - y) / size
        twig = (rise * 9) % 1
        half = 0.17 * size * (1 - rise) * (1 - 0.45 * twig + 0.12 * np.sin(60 * (x + y)))
        inside = step(half - np.abs(x - place), 0.004) * step(rise - 0.04, 0.01) * (rise < 1)
        picture = mix(picture, mix(fir[0], fir[1], 0.5 + 0.9 * (x - place) / (0.17 * size) - 0.4 * twig), inside)
    return eight_bits(picture)


def box(x, y, long, wide, turn):
    """A rectangle, and how far across it each pixel lies."""
    place = (X - x + 1j * (Y - y)) * np.exp(-1j * turn)
    return step(long - np.abs(place.real), 1) * step(wide - np.abs(place.imag), 1), place.imag


def ground(seed):
    """Fields, a river, two roads and the houses along them from above, in four bands; lengths are pixels."""
    rng = np.random.default_rng(seed)
    # Everything but the river follows a slanted grid.
    u, v = 0.94 * X + 0.34 * Y + 6 * np.sin(Y / 70), 0.94 * Y - 0.34 * X + 300
    strip = (u // 74).astype(int)
    length = rng.uniform(34, 66, 9)[strip]
    field = 31 * strip + (v // length).astype(int)
    kind, turn = rng.integers(len(CROPS), size=999)[field], rng.integers(2, size=999)[field]
    furrows = np.sin(np.where(turn, u, v) * (0.9 + 0.5 * (kind % 3)))
    light = rng.uniform(0.85, 1.12, 999)[field] * (1 + 0.09 * furrows + 0.05 * noise(rng, 12))
    picture = np.array(CROPS)[kind] / 100 * light[..., None]
    edge = np.minimum(np.minimum(u % 74, -u % 74), np.minimum(v % length, -v % length))
    picture = mix(picture, TREE, step(2.2 - edge, 1) * step(noise(rng, 6, 3) + 0.1, 0.3))
    river = X - 120 - 40 * np.sin(Y / 62) - 0.25 * Y
    road, lane = v - 410 - 14 * np.sin(u / 90), u - 268 + 8 * np.sin((v - 300) / 40)
    bank = 13 + 3 * noise(rng, 25, 2) - np.abs(river)
    picture = mix(mix(picture, TREE * 1.3, step(bank + 5, 1)), WATER * (1 + 0.1 * noise(rng, 5, 4))[..., None], step(bank, 1))
    for across, along, half in ((lane, v, 2.6), (road, u, 4.2)):
        picture = mix(mix(picture, VERGE, step(half + 1.2 - np.abs(across), 1)), ROAD, step(half - np.abs(across), 1))
        picture = mix(picture, np.full(4, 0.5), step(0.5 - np.abs(across), 1) * (along % 12 < 6))
    beside = np.minimum(np.abs(road) - 7, np.abs(lane) - 6)
    free = (np.abs(river) > 26) & (beside > 0)
    for x, y, long, wide, turn in zip(*rng.uniform([[190], [90], [6], [4], [0]], [[WIDTH], [330], [10], [6], [2]], (5, 1500))):
        here = np.hypot(X - x, Y - y) < long + 2.5
        if beside[int(y), int(x)] > 40 or not free[here].all():
            continue
        free &= ~here
        turn = 0.35 + np.pi / 2 * int(turn)
        picture = mix(picture, LAWN, 0.85 * box(x, y, long + 4.5, wide + 4.5, turn)[0])
        picture = mix(picture, 0.45 * picture, box(x + 2.5, y + 2.5, long, wide, turn)[0])
        roof, across = box(x, y, long, wide, turn)
        tiles = np.array(ROOFS[rng.integers(len(ROOFS))]) / 100 * rng.uniform(0.85, 1.15)
        picture = mix(picture, tiles * np.where(across < 0, 1.18, 0.82)[..., None], roof)
        if rng.random() < 0.2:
            picture = mix(picture, POOL, box(x + long + 1, y - wide - 1, 2.6, 1.8, turn)[0])
    for x, y, size in zip(*rng.uniform([[0], [0], [1.8]], [[WIDTH], [HEIGHT], [4.2]], (3, 700))):
        i, j = int(y), int(x)
        # Most stand at the river, some in the fields.
        if beside[i, j] < 2 or not (14 < abs(river[i, j]) < 24 or free[i, j] and rng.random() < 0.15):
            continue
        picture = mix(picture, 0.5 * picture, step(size - np.hypot(X - x - 2, Y - y - 2), 1))
        crown = TREE * (1 - 0.28 * (X - x + Y - y) / size)[..., None]
        picture = mix(picture, crown, step(size - np.hypot(X - x, Y - y), 1))
    for place in rng.uniform(150, 560, 22):
        color, side = np.array(CARS[rng.integers(4)]) / 100, rng.choice([-2.2, 2.2])
        picture = mix(picture, color, step(2.4 - np.abs(u - place), 1) * step(1.2 - np.abs(road - side), 0.8))
    return (10000 * np.clip(picture, 0, 1)).round()


def eight_bits(picture):
    return (255 * np.clip(picture, 0, 1)).round().astype(np.uint8)


def sheet(path, columns, width, panels):
    """Panels with their titles, each so many pixels of the screen wide."""
    height, gap, head = width * 3 // 4, 10, 30
    wide, high = columns * (width + gap) - gap, -(-len(panels) // columns) * (height + head)
    figure = plt.figure(figsize=(wide / 100, high / 100), dpi=100)
    for k, (title, picture) in enumerate(panels.items()):
        left, foot = k % columns * (width + gap), high - (k // columns + 1) * (height + head)
        axes = figure.add_axes((left / wide, foot / high, width / wide, height / high))
        # Large pixels stay what they are; small ones are averaged.
        axes.imshow(picture, aspect="auto", interpolation="nearest" if picture.shape[1] < width else "hanning")
        axes.set_title(title, fontsize=12, pad=6)
        axes.axis("off")
    figure.savefig(path)
    # Without alpha, which is 255 everywhere, and without the version of matplotlib.
    Image.open(path).convert("RGB").save(path, optimize=True)


def pair(swgg, verb, path, source, reference, *flags):
    """Two pictures, and what a command makes of them."""
    write_png("source.png", source)
    write_png("reference.png", reference)
    subprocess.run([swgg, verb, "source.png", "reference.png", "out.png", *flags, "--quiet"], check=True)
    sheet(path, 3, 344, {"source": source, "reference": reference, f"swgg {verb}": plt.imread("out.png")})


def pansharpening(swgg, path):
    truth = ground(3)
    pan = truth @ [[0.1], [0.3], [0.35], [0.25]]
    # Optics blur, then each pixel sums up what falls on it: of waves of two pixels of MS 0.3 are left, as is usual.
    blurred = gaussian_filter(truth, (1.56, 1.56, 0), mode="nearest")
    ms = blurred.reshape(HEIGHT // RATIO, RATIO, WIDTH // RATIO, RATIO, 4).mean(axis=(1, 3))
    write_tiff("pan.tif", pan)
    write_tiff("ms.tif", ms)
    subprocess.run([swgg, "pansharpen", "pan.tif", "ms.tif", "out.tif", "--quiet"], check=True)

    def seen(bands):
        """A part in natural colours, by the same curve for all."""
        part = bands[156:276, 168:328]
        return eight_bits((part[..., 2::-1] / 4200) ** 0.55)

    panels = {"PAN": np.repeat(pan, 4, axis=2), f"MS, {RATIO} times as coarse": ms.repeat(RATIO, 0).repeat(RATIO, 1)}
    panels |= {"swgg pansharpen": read_tiff("out.tif"), "truth": truth}
    sheet(path, 2, 480, {title: seen(bands) for title, bands in panels.items()})


def flow(swgg, path):
    """A hundred particles on their way from the middle to eight places on a ring."""
    rng = np.random.default_rng(0)
    angles = np.pi / 4 * rng.integers(8, size=100)
    ring = 2 * np.column_stack([np.cos(angles), np.sin(angles)]) + 0.02 * rng.normal(size=(100, 2))
    np.savetxt("a.csv", 0.25 * rng.normal(size=(100, 2)), delimiter=",", fmt="%.6f")
    np.savetxt("b.csv", ring / np.sqrt(2), delimiter=",", fmt="%.6f")
    subprocess.run([swgg, "flow", "a.csv", "b.csv", "--every", "100", "--picture", path, "--quiet"], check=True)


if __name__ == "__main__":
    swgg, directory = map(os.path.abspath, sys.argv[1:])
    scan = landscape(46, AUTUMN) @ [[0.2126] * 3, [0.7152] * 3, [0.0722] * 3]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        day, evening = landscape(41, DAY), landscape(62, EVENING)
        pair(swgg, "color-transfer", os.path.join(directory, "color.png"), day, evening, "--method", "auto")
        pair(swgg, "colorize", os.path.join(directory, "colorize.png"), eight_bits(scan / 255), landscape(44, AUTUMN))
        pansharpening(swgg, os.path.join(directory, "pansharpening.png"))
        flow(swgg, os.path.join(directory, "flow.svg"))
        # Not every system removes a directory that someone is in.
        os.chdir(directory)
