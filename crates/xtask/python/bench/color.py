"""The rows of `cargo xtask bench images` about colour.

    color.py draw SOURCE REFERENCE          draws two pictures when there are no others (PNG, by formulas)
    color.py large FILE                     draws a picture of 24 megapixels
    color.py colorize SWGG SOURCE REFERENCE threads    `swgg.colorize` beside numpy, and `swgg colorize`
    color.py transfer SWGG SOURCE REFERENCE threads samples    `swgg color-transfer` beside POT on samples

Prints one JSON object.
"""

import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np

RUNS = 9


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def write_png(path, pixels):
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows.tobytes(), 1)), chunk(b"IEND", b"")]
    with open(path, "wb") as file:
        file.write(b"".join(parts))


def write_tiff(path, samples):
    """Samples of 16 bits, uncompressed, pixel by pixel: `tiff.rs` says what lies where."""
    (height, width, bands), data = samples.shape, samples.round().astype("<u2").tobytes()
    depths = 8 + len(data)
    entries = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, bands, 16 if bands == 1 else depths), (259, 3, 1, 1)]
    entries += [(262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, bands), (278, 4, 1, height), (279, 4, 1, len(data))]
    parts = [b"II*\0", struct.pack("<I", depths + 2 * bands), data, struct.pack("<H", 16) * bands]
    parts += [struct.pack("<H", len(entries))] + [struct.pack("<HHII", *entry) for entry in entries] + [bytes(4)]
    with open(path, "wb") as file:
        file.write(b"".join(parts))


def read_tiff(path):
    """A plain TIFF as the commands write it: no compression, pixel by pixel, 8 or 16 bits."""
    data = open(path, "rb").read()
    start, = struct.unpack("<I", data[4:8])
    count, = struct.unpack("<H", data[start : start + 2])
    tags = {}
    for k in range(count):
        tag, kind, length, value = struct.unpack("<HHII", data[start + 2 + 12 * k : start + 14 + 12 * k])
        size, code = {3: (2, "H"), 4: (4, "I")}.get(kind, (1, "B"))
        at = value if size * length > 4 else start + 10 + 12 * k
        tags[tag] = struct.unpack(f"<{length}{code}", data[at : at + size * length])
    # Width, height, depth, strips and their lengths.
    strips = b"".join(data[at : at + length] for at, length in zip(tags[273], tags[279]))
    return np.frombuffer(strips, f"<u{tags[258][0] // 8}").reshape(tags[257][0], tags[256][0], -1)


def read_picture(swgg, path):
    """Any picture as an array: swgg writes it as a plain TIFF (the colours of itself change nothing)."""
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "out.tif")
        subprocess.run([swgg, "color-transfer", path, path, out, "--quiet"], check=True)
        return read_tiff(out)


def landscape(width, height, sky, ground, seed):
    """A sky that fades, hills that are rough, and a little noise everywhere."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width] / height
    line = 0.55 + sum(rng.uniform(0.01, 0.08) / k * np.sin(x * 3 * k + rng.uniform(0, 6)) for k in range(1, 9))
    fade = np.clip(y / 0.6, 0, 1)[..., None]
    air = np.array(sky[0]) * (1 - fade) + np.array(sky[1]) * fade
    rough = rng.random((height, width, 1))
    depth = np.clip((y - line) / 0.45, 0, 1)[..., None]
    earth = (np.array(ground[0]) * (1 - depth) + np.array(ground[1]) * depth) * (0.45 + 0.55 * rough)
    picture = np.where((y > line)[..., None], earth, air) + rng.normal(scale=0.006, size=(height, width, 3))
    return (np.clip(picture, 0, 1) * 255).round().astype(np.uint8)


def draw(source, reference):
    blue, dusk = ([0.15, 0.35, 0.75], [0.75, 0.85, 0.95]), ([0.25, 0.15, 0.35], [0.98, 0.6, 0.3])
    write_png(source, landscape(1280, 1024, blue, ([0.25, 0.45, 0.2], [0.45, 0.4, 0.2]), 0))
    write_png(reference, landscape(1280, 1024, dusk, ([0.3, 0.2, 0.3], [0.15, 0.08, 0.12]), 1))
    return {}


def large(path):
    write_png(path, landscape(6000, 4000, ([0.1, 0.3, 0.7], [0.8, 0.9, 1.0]), ([0.3, 0.5, 0.2], [0.5, 0.4, 0.2]), 2))
    return {}


def run(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def blur(values, radius=2):
    """Means over windows cut off at the border, by running sums."""
    for axis in (0, 1):
        values = np.moveaxis(values, axis, 0)
        sums = np.concatenate([np.zeros((1,) + values.shape[1:]), np.cumsum(values, axis=0, dtype=float)])
        last = np.minimum(np.arange(len(values)) + radius + 1, len(values))
        first = np.maximum(np.arange(len(values)) - radius, 0)
        values = np.moveaxis((sums[last] - sums[first]) / (last - first)[:, None], 0, axis)
    return values


def roughness(bright):
    """Deviation of the brightness around every pixel, in 8 bits, as `swgg colorize` orders pixels of one gray by.

    From blocks of 4 x 4 (sides are multiples of 4 here), read off between their centres."""
    height, width = bright.shape
    blocks = bright.astype(np.float32).reshape(height // 4, 4, width // 4, 4)
    mean, square = blur(blocks.mean(axis=(1, 3))), blur((blocks * blocks).mean(axis=(1, 3)))
    values = blur(np.sqrt(np.maximum(square - mean * mean, 0)))
    values = 255 * np.minimum(np.sqrt(2 * values), 1).astype(np.float32)
    for axis, count in ((0, height), (1, width)):
        at = np.clip((np.arange(count, dtype=np.float32) + 0.5) / 4 - 0.5, 0, count // 4 - 1)
        low = np.minimum(at.astype(int), count // 4 - 2)
        part = np.expand_dims(at - low, 1 - axis)
        below, above = np.take(values, low, axis), np.take(values, low + 1, axis)
        values = below + part * (above - below)
    return values.astype(np.uint32)


def paired(gray, y):
    """The closed form, with equal grays as they come: two sorts."""
    colors = y.reshape(-1, 3)
    order, offered = np.argsort(gray.ravel()), np.argsort(colors.sum(axis=1))
    result = np.empty((gray.size, 3), np.uint8)
    result[order] = colors[stretched(offered, len(order))]
    return result


def paired_by_roughness(gray, y):
    """What `swgg colorize` computes: equal grays, and the colours they share, by how rough the pictures are there."""
    colors, sums = y.reshape(-1, 3), y.sum(axis=2, dtype=np.uint32)
    order = np.argsort((gray.astype(np.uint32) << 8 | roughness(gray / np.float32(255))).ravel())
    chance = np.arange(sums.size, dtype=np.uint32) * np.uint32(0x9E3779B1) >> np.uint32(26)
    offered = stretched(np.argsort(sums.ravel() << 6 | chance), len(order))
    rough = roughness(sums / np.float32(765)).ravel()
    offered = offered[np.argsort(gray.ravel()[order].astype(np.uint32) << 8 | rough[offered])]
    result = np.empty((gray.size, 3), np.uint8)
    result[order] = colors[offered]
    return result


def stretched(offered, count):
    if count == len(offered):
        return offered
    return offered[(2 * np.arange(count) + 1) * len(offered) // (2 * count)]


def in_turn(*calls):
    """The least time of each call, and what the last one returned; the first round warms up."""
    seconds = [float("inf")] * len(calls)
    for turn in range(1 + RUNS):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            result = call()
            if turn > 0:
                seconds[k] = min(seconds[k], time.perf_counter() - start)
    return seconds, result


def colorize(swgg, source, reference, threads):
    import swgg as package

    x, y = read_picture(swgg, source), read_picture(swgg, reference)
    gray = (x @ np.array([0.2126, 0.7152, 0.0722])).round().astype(np.uint8)
    (plain, ours, peer), theirs = in_turn(
        lambda: paired(gray, y),
        lambda: package.colorize(gray, y, n_threads=int(threads)),
        lambda: paired_by_roughness(gray, y),
    )
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "out.png")
        command = [swgg, "colorize", source, reference, out, "--threads", threads, "--json"]
        found = [run(command) for _ in range(RUNS)]
        result = read_picture(swgg, out)
    best = min(found, key=lambda record: record["seconds"]["solve"])
    # Ties of ties and chance differ, so pixels may; their brightness hardly does.
    apart = np.abs(result.sum(axis=2, dtype=int).ravel() - theirs.sum(axis=1, dtype=int)).mean() / 765
    seconds = {"peer_seconds": peer, "plain_seconds": plain, "package_seconds": ours, "swgg_seconds": best["seconds"]}
    return seconds | {"apart": apart, "cost": best["cost"]}


def transfer(swgg, source, reference, threads, samples):
    import ot
    from scipy.spatial import cKDTree

    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "out.png")
        command = [swgg, "color-transfer", source, reference, out, "--threads", threads, "--json"]
        rows = {}
        command += ["--method", "auto"]
        for name, flags in (("default", []), ("cheapest", ["--smoothing", "0"])):
            found = [run(command + flags) for _ in range(3)]
            rows[name] = min(found, key=lambda record: record["seconds"]["solve"])
            result = read_picture(swgg, out).reshape(-1, 3)
            wanted = read_picture(swgg, reference).reshape(-1, 3)
            pack = lambda p: np.sort(p.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32))
            rows[name]["same_histogram"] = len(result) == len(wanted) and bool((pack(result) == pack(wanted)).all())
        rows["megabytes"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if samples == "0":
        return rows
    x, y = (read_picture(swgg, path).reshape(-1, 3) / 255 for path in (source, reference))
    rng, n = np.random.default_rng(0), int(samples)
    a, b = x[rng.choice(len(x), n, False)], y[rng.choice(len(y), n, False)]
    start = time.perf_counter()
    plan = ot.emd(np.full(n, 1 / n), np.full(n, 1 / n), ot.dist(a, b), numItermax=10**7)
    images = b[plan.argmax(axis=1)]
    _, near = cKDTree(a).query(x, workers=int(threads))
    rows["peer_seconds"] = time.perf_counter() - start
    rows["peer_cost"] = float(((x - images[near]) ** 2).sum(axis=1).mean())
    return rows


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
