#!/usr/bin/env python3
"""scipy_test.py GPULAB DATA: the catalogue of gpulab radio-astronomy is SciPy's, and has the true sources in it.

DATA is the folder with radio-sky.fits and radio-sky-sources.csv. The steps are the course's own, with numpy and
scipy.ndimage, so that gpulab's reference and its kernels cannot share a mistake with what they are compared with.
"""
import csv
import json
import math
import pathlib
import subprocess
import sys

import numpy
from scipy import ndimage

gpulab, data = sys.argv[1], pathlib.Path(sys.argv[2])


def read_fits(path):
    """Reads the only image of a FITS file of float32, without a library."""
    content = path.read_bytes()
    cards = [content[i:i + 80].decode("ascii") for i in range(0, 2880, 80)]
    header = {card[:8].strip(): card[10:].split("/")[0].strip() for card in cards if card[8:10] == "= "}
    assert header["BITPIX"] == "-32" and header["NAXIS"] == "2", header
    width, height = int(header["NAXIS1"]), int(header["NAXIS2"])
    return numpy.frombuffer(content, ">f4", width * height, 2880).reshape(height, width).astype("f4")


def clipped(image):
    values = image.ravel()
    while True:
        median, sigma = numpy.median(values), numpy.std(values, dtype="f8")
        kept = values.compress(values > median - 3 * sigma)
        kept = kept.compress(kept < median + 3 * sigma)
        if len(kept) == len(values):
            return kept
        values = kept


def expected_catalogue(image, sigma):
    labels, count = ndimage.label(numpy.where(image > 5 * sigma, 1, 0))
    index = numpy.arange(1, count + 1)
    centres = ndimage.center_of_mass(image, labels, index)
    fluxes = ndimage.sum_labels(image, labels, index)
    peaks = ndimage.maximum(image, labels, index)
    pixels = ndimage.sum_labels(numpy.ones_like(image), labels, index)
    return [[label, x, y, flux, peak, size]
            for label, (y, x), flux, peak, size in zip(index, centres, fluxes, peaks, pixels)]


def run_gpulab():
    done = subprocess.run([gpulab, "radio-astronomy", "--input", str(data / "radio-sky.fits"), "--device", "simulator",
                           "--format", "json"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)


def check_same_as_scipy(result, image):
    sigma = numpy.std(clipped(image), dtype="f8")
    ours, theirs = result["records"]["rows"], expected_catalogue(image, sigma)
    assert result["records"]["columns"] == ["label", "x", "y", "flux", "peak", "pixels"], result["records"]["columns"]
    assert len(ours) == len(theirs) > 0, f"{len(ours)} sources, SciPy finds {len(theirs)}"
    numpy.testing.assert_allclose(numpy.array(ours), numpy.array(theirs), rtol=1e-6)
    figures = {figure["name"]: figure["value"] for variant in result["variants"] for figure in variant["figures"]}
    numpy.testing.assert_allclose(figures["sigma"], sigma, rtol=1e-9)
    print(f"{len(ours)} sources, as SciPy finds them")


def check_true_sources(rows):
    """Checks that all true sources are found, within the errors that data/README.md states, and no others."""
    with open(data / "radio-sky-sources.csv", newline="") as file:
        truth = [row for row in csv.DictReader(file) if row["expected_detected"] == "1"]
    assert len(rows) == len(truth), f"{len(rows)} sources found, {len(truth)} are there"
    for source in truth:
        x, y, flux = (float(source[name]) for name in ["x", "y", "flux_above_5_sigma"])
        near = [row for row in rows if math.hypot(row[1] - x, row[2] - y) < (1 if source["kind"] == "shell" else 0.4)]
        assert len(near) == 1, f"{len(near)} sources found at {x}, {y}"
        assert abs(near[0][3] - flux) < 0.05 * flux + 0.8, f"flux {near[0][3]} at {x}, {y}, which has {flux}"
    print(f"{len(truth)} true sources, all found")


def main():
    image = read_fits(data / "radio-sky.fits")
    result = run_gpulab()
    check_same_as_scipy(result, image)
    check_true_sources(result["records"]["rows"])


if __name__ == "__main__":
    main()
