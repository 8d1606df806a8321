"""The part of `cargo xtask bench registration` that needs Python; prints one JSON object.

    registration.py clouds DATA DIRECTORY     writes the clouds of a folder of data as rows of 64-bit floats
    registration.py peer DIRECTORY RUNS THREADS   small_gicp on the LiDAR pair, from the identity
"""

import json
import os
import struct
import sys
import time
import zlib

import numpy as np


def clouds(data, directory):
    """Every cloud that is there; those that are not are left out, and named."""
    icp, lidar = os.path.join(data, "icp"), os.path.join(data, "small_gicp")
    extent = None
    made, missing = [], []

    def keep(name, read, *path):
        try:
            cloud = np.ascontiguousarray(read(os.path.join(*path)), dtype="<f8")
        except FileNotFoundError:
            missing.append(name)
            return None
        cloud.tofile(os.path.join(directory, name + ".f64"))
        made.append(name)
        return cloud

    keep("letter", letter, icp, "density_b.png")
    mumble = keep("mumble", points, icp, "mumble_sitting_3000.pts")
    keep("whole", points, icp, "mumble_sitting_80000.pts")
    keep("cut", points, icp, "mumble_sittingcut_80000.pts")
    if mumble is not None:
        extent = np.ptp(mumble, axis=0).max()
        keep("dragon", lambda path: scaled(vertices(path), extent), icp, "dragon_merged_150000.ply")
    keep("scan_0", vertices, icp, "dragonStandRight_0.ply")
    keep("scan_24", vertices, icp, "dragonStandRight_24.ply")
    keep("scans_truth", np.loadtxt, icp, "dragon_T_0_24.txt")
    keep("lidar_source", returns, lidar, "source.ply")
    keep("lidar_target", returns, lidar, "target.ply")
    keep("lidar_truth", np.loadtxt, lidar, "T_target_source.txt")
    print(json.dumps({"made": made, "missing": missing}))


def points(path):
    """Three numbers a line, perhaps after a `v`."""
    with open(path) as lines:
        return np.array([[float(word) for word in line.split()[-3:]] for line in lines if line.strip()])


def vertices(path):
    """The vertices of a binary PLY file whose properties are all floats."""
    with open(path, "rb") as file:
        header, body = file.read().split(b"end_header\n", 1)
    words = [line.split() for line in header.decode("ascii").splitlines()]
    count = next(int(line[2]) for line in words if line[:2] == ["element", "vertex"])
    columns = sum(line[:2] == ["property", "float"] for line in words)
    return np.frombuffer(body, dtype="<f4", count=count * columns).reshape(count, columns)[:, :3].astype(float)


def returns(path):
    """A LiDAR scan without the points at the origin, which are no returns."""
    scan = vertices(path)
    return scan[(scan != 0.0).any(axis=1)]


def scaled(cloud, extent):
    return cloud * (extent / np.ptp(cloud, axis=0).max())


def letter(path, n=500, side=10.0):
    """Points of a picture, drawn as often as it is dark, in a square of the side."""
    dark = 255.0 - grey(path)
    rng = np.random.default_rng(0)
    height, width = dark.shape
    drawn = rng.choice(dark.size, size=n, p=(dark / dark.sum()).ravel())
    rows, columns = np.divmod(drawn, width)
    x = (columns + rng.random(n)) / width
    y = 1.0 - (rows + rng.random(n)) / height
    return side * np.column_stack([x, y])


def grey(path):
    """Mean of red, green and blue of a PNG file of 8 bits a channel that is not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        chunk = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", chunk)
        elif kind == b"IDAT":
            packed += chunk
        at += 12 + length
    channels = {0: 1, 2: 3, 6: 4}[color]
    if depth != 8 or interlace:
        raise ValueError(f"{path}: only 8 bits a channel, not interlaced")
    lines = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, 1 + width * channels)
    picture = np.zeros((height, width, channels), dtype=int)
    above = np.zeros((width, channels), dtype=int)
    for row, line in enumerate(lines):
        kind, line = line[0], line[1:].reshape(width, channels).astype(int)
        left = corner = np.zeros(channels, dtype=int)
        for column in range(width):
            up = above[column]
            guess = left + up - corner
            far = [abs(guess - left), abs(guess - up), abs(guess - corner)]
            paeth = np.where((far[0] <= far[1]) & (far[0] <= far[2]), left, np.where(far[1] <= far[2], up, corner))
            left = (line[column] + [0 * up, left, up, (left + up) // 2, paeth][kind]) % 256
            corner = up
            picture[row, column] = left
        above = picture[row]
    return picture[:, :, :3].mean(axis=2)


def peer(directory, runs, threads):
    """small_gicp as its documentation shows: thinning to 0.25 m, covariances, then GICP from the identity."""
    import small_gicp

    source, target = (
        np.fromfile(os.path.join(directory, name + ".f64"), dtype="<f8").reshape(-1, 3)
        for name in ("lidar_source", "lidar_target")
    )
    truth = np.fromfile(os.path.join(directory, "lidar_truth.f64"), dtype="<f8").reshape(4, 4)
    rows = []
    for _ in range(int(runs)):
        start = time.perf_counter()
        thin_target, tree = small_gicp.preprocess_points(target, downsampling_resolution=0.25, num_threads=int(threads))
        thin_source, _ = small_gicp.preprocess_points(source, downsampling_resolution=0.25, num_threads=int(threads))
        found = small_gicp.align(thin_target, thin_source, tree, num_threads=int(threads))
        seconds = time.perf_counter() - start
        turn = found.T_target_source[:3, :3].T @ truth[:3, :3]
        # The sine is exact for small angles, where the trace is not.
        sine = np.linalg.norm([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2
        rows.append(
            {
                "seconds": seconds,
                "steps": int(found.iterations) + 1,
                "degrees": float(np.degrees(np.arctan2(sine, (np.trace(turn) - 1) / 2))),
                "shift": float(np.linalg.norm(found.T_target_source[:3, 3] - truth[:3, 3])),
            }
        )
    print(json.dumps({"method": "small_gicp", "version": version(), "runs": rows}))


def version():
    from importlib.metadata import version

    return version("small_gicp")


if __name__ == "__main__":
    {"clouds": clouds, "peer": peer}[sys.argv[1]](*sys.argv[2:])
