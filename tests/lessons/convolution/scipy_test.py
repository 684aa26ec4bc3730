#!/usr/bin/env python3
"""Compares `gpulab convolution` with SciPy: scipy_test.py GPULAB

The program convolves a FITS image with a filter from a text file and saves a PNG of the result, in which
black is the least value and white the greatest. Every pixel must have the grey that SciPy's result has."""
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy
from scipy import ndimage

MODES = {"zero": "constant", "clamp": "nearest", "mirror": "reflect"}


def write_fits(path, image):
    height, width = image.shape
    cards = ["SIMPLE  =                    T", "BITPIX  =                  -32", "NAXIS   =                    2",
             f"NAXIS1  = {width:20d}", f"NAXIS2  = {height:20d}", "END"]
    header = "".join(card.ljust(80) for card in cards)
    data = image.astype(">f4").tobytes()
    path.write_bytes(header.ljust(-(-len(header) // 2880) * 2880).encode() + data + bytes(-len(data) % 2880))


def paeth(left, above, corner):
    guess = left + above - corner
    return min((abs(guess - value), rank, value) for rank, value in enumerate((left, above, corner)))[2]


def read_png(path):
    """Returns the red values of an 8-bit RGB file; undoes the five filters of the PNG specification."""
    data = path.read_bytes()[8:]
    compressed, width = b"", 0
    while data:
        length, kind = struct.unpack(">I4s", data[:8])
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[8:18])
            assert (depth, colour) == (8, 2), "not 8-bit RGB"
        elif kind == b"IDAT":
            compressed += data[8:8 + length]
        data = data[12 + length:]
    raw, stride, rows = zlib.decompress(compressed), 3 * width, [bytes(3 * width)]
    for start in range(0, height * (stride + 1), stride + 1):
        row, above = bytearray(raw[start + 1:start + 1 + stride]), rows[-1]
        for i in range(stride):
            left, corner = (row[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            predictions = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))
            row[i] = (row[i] + predictions[raw[start]]) % 256
        rows.append(row)
    return numpy.array([list(row[::3]) for row in rows[1:]])


def convolved_by(program, folder, image, values, border):
    write_fits(folder / "image.fits", image)
    numpy.savetxt(folder / "filter.txt", values, fmt="%.9g")
    subprocess.run([program, "convolution", "--device", "simulator", "--quiet", "--variant", "tiled",
                    "--input", folder / "image.fits", "--filter-file", folder / "filter.txt",
                    "--border", border, "--save", folder / "result.png"],
                   check=True, stdout=subprocess.DEVNULL)
    return read_png(folder / "result.png")


def levels(expected):
    return numpy.round(255 * (expected - expected.min()) / (expected.max() - expected.min()))


def main(program):
    random = numpy.random.default_rng(1)
    # An image larger than the filter, one that the filter reaches over several times, a single row.
    for image_shape, filter_shape in [((37, 50), (5, 3)), ((3, 4), (15, 15)), ((1, 64), (7, 9))]:
        image = random.normal(size=image_shape).astype(numpy.float32)
        values = random.normal(size=filter_shape).astype(numpy.float32)
        for border, mode in MODES.items():
            with tempfile.TemporaryDirectory() as folder:
                actual = convolved_by(program, pathlib.Path(folder), image, values, border)
            expected = levels(ndimage.convolve(image.astype(float), values.astype(float), mode=mode))
            worst = numpy.abs(actual - expected).max()
            assert worst <= 1, f"{image_shape}, filter {filter_shape}, {border}: grey differs by {worst}"


if __name__ == "__main__":
    main(sys.argv[1])
