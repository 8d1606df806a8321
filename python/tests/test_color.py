"""Colour: the result has the colours of the reference, whatever the arrays look like."""

from __future__ import annotations

import numpy as np
import pytest

import swgg

KINDS = [np.uint8, np.uint16, np.float32, np.float64]


def picture(height, width, seed, kind=np.uint8, channels=3):
    """A gradient with noise, of colours of its own."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    slope = (x / width + y / height)[..., None] * rng.uniform(0.1, 0.4, size=channels)
    values = rng.uniform(0.05, 0.1, size=channels) + slope + 0.05 * rng.random((height, width, channels))
    if np.dtype(kind).kind == "u":
        values = np.rint(values * np.iinfo(kind).max)
    return values.astype(kind)


def counted(image):
    """All colours, as often as they are there, in a fixed order."""
    colors = image[..., :3].reshape(-1, 3)
    return colors[np.lexsort(colors.T)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_colours_are_those_of_the_reference(kind):
    source, reference = picture(24, 30, 1, kind), picture(30, 24, 2, kind)
    before = source.copy()
    found = swgg.color_transfer(source, reference)
    assert found.shape == source.shape and found.dtype == kind and found is not source
    expected = reference.astype(np.float32).astype(kind) if kind == np.float64 else reference
    assert np.array_equal(counted(found), counted(expected))
    assert np.array_equal(source, before)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32])
def test_the_same_picture_stays(kind):
    source = picture(20, 20, 3, kind)
    assert np.array_equal(swgg.color_transfer(source, source), source)
    assert np.array_equal(swgg.color_transfer(source, source[::-1]), source)


@pytest.mark.parametrize("kind", KINDS)
def test_strength_goes_from_the_picture_to_the_reference(kind):
    source, reference = picture(16, 20, 4, kind), picture(16, 20, 5, kind)
    assert np.array_equal(swgg.color_transfer(source, reference, strength=0), source)
    whole = swgg.color_transfer(source, reference)
    half = swgg.color_transfer(source, reference, strength=0.5)
    middle = (source.astype(float) + whole.astype(float)) / 2.0
    assert np.abs(half - middle).max() <= (0.5 if np.dtype(kind).kind == "u" else 1e-6)
    assert not np.array_equal(half, whole)


def test_sixteen_bits_are_all_kept():
    # Colours that agree in their first eight bits.
    source = 4096 + np.arange(75, dtype=np.uint16).reshape(5, 5, 3)
    reference = 9216 + np.arange(75, dtype=np.uint16).reshape(5, 5, 3)[::-1] * 3
    found = swgg.color_transfer(source, reference)
    assert np.array_equal(counted(found), counted(reference))


def test_other_sizes_have_the_same_shares():
    source, reference = picture(20, 20, 6), np.zeros((3, 4, 3), np.uint8)
    reference[:, :1] = 200
    found = swgg.color_transfer(source, reference)
    assert (found == 200).all(axis=2).sum() == 100 and (found == 0).all(axis=2).sum() == 300


@pytest.mark.parametrize("method", ["min-swgg", "min-swgg-random", "exact", "sinkhorn", "subspace-detour"])
def test_every_plan_transports(method):
    source, reference = picture(12, 12, 7), picture(12, 12, 8)
    assert np.array_equal(counted(swgg.color_transfer(source, reference, method=method)), counted(reference))


def test_gaussian_and_samples_come_near():
    source, reference = picture(24, 24, 9), picture(30, 30, 10)
    for options in [{"method": "gaussian"}, {"samples": 200}]:
        found = swgg.color_transfer(source, reference, **options)
        assert np.abs(found.mean(axis=(0, 1)) - reference.mean(axis=(0, 1))).max() < 3.0


@pytest.mark.parametrize("space", ["oklab", "lab"])
def test_spaces_stay_within_what_floats_may_be(space):
    source, reference = picture(16, 16, 11, np.float32), picture(16, 16, 12, np.float32)
    source[0, 0], reference[0, 0] = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    half = swgg.color_transfer(source, reference, space=space, strength=0.5)
    assert half.min() >= 0.0 and half.max() <= 1.0
    whole = swgg.color_transfer(source, reference, space=space)
    assert np.array_equal(counted(whole), counted(reference))


@pytest.mark.parametrize("kind", KINDS)
def test_alpha_stays_and_what_is_transparent_takes_no_part(kind):
    source, reference = picture(10, 10, 13, kind, channels=4), picture(5, 10, 14, kind)
    source[:5, :, 3] = 0
    found = swgg.color_transfer(source, reference)
    assert found.shape == (10, 10, 4) and np.array_equal(found[..., 3], source[..., 3])
    assert np.array_equal(found[:5], source[:5])
    single = np.float32 if kind == np.float64 else kind
    assert np.array_equal(counted(found[5:]), counted(reference.astype(single).astype(kind)))
    # A colour that cannot be seen is not given to anybody.
    hidden = np.concatenate([reference, np.ones_like(reference[..., :1])], axis=2)
    hidden[0, 0] = 0
    assert (swgg.color_transfer(picture(10, 10, 13, kind), hidden) > 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_mask_says_where(kind):
    source, reference = picture(10, 12, 15, kind), picture(10, 6, 16, kind)
    mask = np.zeros((10, 12), bool)
    mask[:, ::2] = True
    found = swgg.color_transfer(source, reference, mask=mask)
    assert np.array_equal(found[~mask], source[~mask])
    single = np.float32 if kind == np.float64 else kind
    assert np.array_equal(counted(found[mask]), counted(reference.astype(single).astype(kind)))
    assert np.array_equal(swgg.color_transfer(source, reference, mask=mask.tolist()), found)


def test_a_reference_of_another_kind_is_scaled():
    source, reference = picture(8, 8, 17), picture(8, 8, 18)
    expected = swgg.color_transfer(source, reference)
    for other in [reference * np.uint16(257), reference / 255.0, (reference / 255.0).astype(np.float32)]:
        assert np.array_equal(swgg.color_transfer(source, other), expected)
    wide = swgg.color_transfer(source * np.uint16(257), reference)
    assert wide.dtype == np.uint16 and np.array_equal(counted(wide), counted(reference * np.uint16(257)))


def test_one_colour_and_one_pixel():
    one = np.full((1, 1, 3), 7, np.uint8)
    source = picture(9, 9, 19)
    assert (swgg.color_transfer(source, one) == 7).all()
    assert (swgg.color_transfer(np.full((9, 9, 3), 90, np.uint8), one) == 7).all()
    assert swgg.color_transfer(one, np.full((1, 1, 3), 9, np.uint8)).tolist() == [[[9, 9, 9]]]
    flat = swgg.color_transfer(np.full((9, 9, 3), 90, np.uint8), source)
    assert np.array_equal(counted(flat), counted(source))


def test_threads_and_memory_do_not_matter():
    source, reference = picture(60, 50, 20), picture(40, 70, 21)
    expected = swgg.color_transfer(source, reference, seed=3, n_threads=1)
    assert np.array_equal(swgg.color_transfer(source, reference, seed=3, n_threads=2), expected)
    source.flags.writeable = False
    assert np.array_equal(swgg.color_transfer(source, reference, seed=3), expected)
    turned = source[..., ::-1].copy()[..., ::-1]
    for strange in [np.asfortranarray(source), np.repeat(source, 2, axis=1)[:, ::2], turned]:
        assert not strange.flags.c_contiguous
        assert np.array_equal(swgg.color_transfer(strange, reference, seed=3), expected)
    swapped = (source.astype(">u2"), reference.astype(np.uint16))
    assert swgg.color_transfer(*swapped).dtype == np.uint16
    with pytest.raises(swgg.InputError, match="n_threads"):
        swgg.color_transfer(source, reference, n_threads=0)


@pytest.mark.parametrize("kind", KINDS)
def test_colorize_sorts_by_brightness(kind):
    reference = picture(12, 15, 22, kind)
    gray = np.ascontiguousarray(picture(15, 12, 23, kind)[..., 0])
    found = swgg.colorize(gray, reference)
    assert found.shape == (15, 12, 3) and found.dtype == kind
    single = np.float32 if kind == np.float64 else kind
    assert np.array_equal(counted(found), counted(reference.astype(single).astype(kind)))
    brightness = found.astype(float).sum(axis=2).ravel()[np.argsort(gray, axis=None, kind="stable")]
    grays = np.sort(gray, axis=None)
    # Between two grays the brighter one is never given the darker colour.
    levels = [brightness[grays == level] for level in np.unique(grays)]
    assert all(a.max() <= b.min() + 1e-6 for a, b in zip(levels, levels[1:]))
    for same in [swgg.colorize(gray, reference, n_threads=1), swgg.colorize(np.asfortranarray(gray), reference)]:
        assert np.array_equal(same, found)


def test_colorize_other_sizes():
    reference = np.zeros((2, 2, 4), np.uint8)
    reference[0] = (9, 8, 7, 255)
    # The other row is transparent.
    assert (swgg.colorize(np.array([[3]], np.uint8), reference) == [9, 8, 7]).all()
    assert swgg.colorize(np.zeros((3, 5)), reference).shape == (3, 5, 3)


IMAGE = np.zeros((4, 5, 3), np.uint8)
BAD = [
    (dict(img=IMAGE[..., 0]), swgg.InputError, r"img: found shape \(4, 5\), expected .*swgg.colorize"),
    (dict(ref=IMAGE[..., 0]), swgg.InputError, r"ref: found shape \(4, 5\), expected .*np.stack"),
    (dict(img=IMAGE[..., :2]), swgg.InputError, r"img: found shape \(4, 5, 2\)"),
    (dict(img=np.zeros((3, 8, 9), np.uint8)), swgg.InputError, "channels go last"),
    (dict(img=IMAGE[:0]), swgg.InputError, r"img: found shape \(0, 5, 3\)"),
    (dict(img=IMAGE.astype(int)), swgg.KindError, "img: found an array of int64, expected uint8"),
    (dict(ref=IMAGE.astype(complex)), swgg.KindError, "ref: found an array of complex128"),
    (dict(img="photo.png"), swgg.KindError, "img: found a value of type str"),
    (dict(img=None), swgg.KindError, "img: found None"),
    (dict(img=IMAGE + 255.0), swgg.InputError, "img: found floats from 255 to 255, expected 0 to 1"),
    (dict(ref=IMAGE - 0.5), swgg.InputError, "ref: found floats from -0.5"),
    (dict(ref=np.where(np.arange(5)[:, None] == 2, np.nan, IMAGE)), swgg.InputError, "ref: row 0, column 2"),
    (dict(mask=np.ones((5, 4), bool)), swgg.InputError, r"mask: found shape \(5, 4\), expected \(4, 5\)"),
    (dict(mask=np.ones((4, 5))), swgg.KindError, "mask: found an array of float64"),
    (dict(mask=np.zeros((4, 5), bool)), swgg.InputError, "img: no pixel takes part"),
    (dict(ref=np.zeros((2, 2, 4), np.uint8)), swgg.InputError, "ref: no pixel takes part"),
    (dict(method="best"), swgg.InputError, "method: found 'best'"),
    (dict(space="hsv"), swgg.InputError, "space: found 'hsv'"),
    (dict(strength=1.5), swgg.InputError, "strength: found 1.5"),
    (dict(smoothing=-1), swgg.InputError, "smoothing: found -1.0"),
    (dict(strength="much"), swgg.KindError, "strength: found 'much'"),
    (dict(samples=0), swgg.InputError, "samples: found 0"),
    (dict(samples=5, method="gaussian"), swgg.InputError, "samples: found beside"),
    (dict(seed=-1), swgg.InputError, "seed: found -1"),
]


@pytest.mark.parametrize("arguments, error, message", BAD)
def test_what_cannot_be_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        swgg.color_transfer(**{"img": IMAGE, "ref": IMAGE, **arguments})


def test_colorize_refuses_too():
    gray = IMAGE[..., 0]
    with pytest.raises(swgg.InputError, match=r"gray: found shape \(4, 5, 3\).*make it gray first"):
        swgg.colorize(IMAGE, IMAGE)
    with pytest.raises(swgg.InputError, match=r"gray: found shape \(0, 5\)"):
        swgg.colorize(gray[:0], IMAGE)
    with pytest.raises(swgg.KindError, match="gray: found an array of int64"):
        swgg.colorize(gray.astype(int), IMAGE)
    with pytest.raises(swgg.InputError, match="gray: found floats from 2 to 2"):
        swgg.colorize(gray + 2.0, IMAGE)
    with pytest.raises(swgg.InputError, match=r"ref: found shape \(4, 5\)"):
        swgg.colorize(gray, gray)
