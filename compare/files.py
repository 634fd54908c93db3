"""Arrays out of files that a person names: .npy, or text with one number a line."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from compare.measure import Array, MeasureError, dtype_name

_DIGITS: Final = r"0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[pP][+-]?\d+)?"
_HEX_COMPLEX: Final = re.compile(rf"([+-]?{_DIGITS})([+-]{_DIGITS})[jJ]")


class FileError(ValueError):
    """A file that holds no array to compare; the text names it, the line where there is one, and the remedy."""


def load(path: str | Path) -> Array:
    """The array in a file: of any shape and of tenferro's dtypes from .npy, 1-D f64 or c128 from text."""
    file = Path(path)
    try:
        if file.is_dir():
            raise FileError(f"{file}: is a directory: name a .npy file or a text file with one number a line")
        if file.is_file() and file.stat().st_size == 0:
            raise FileError(f"{file}: is empty: there is nothing to compare")
        array = _npy(file) if file.suffix == ".npy" else _text(file)
    except OSError as error:
        raise FileError(f"{file}: {error.strerror or error}: name a file that can be read") from error
    if array.size == 0:
        raise FileError(f"{file}: holds no number: there is nothing to compare")
    return array


def _npy(file: Path) -> Array:
    with file.open("rb") as handle, warnings.catch_warnings(action="ignore"):
        if handle.read(2) == b"PK":
            raise FileError(f"{file}: is an archive of arrays: name a .npy file that holds one")
        handle.seek(0)
        try:
            array: Array = np.lib.format.read_array(handle, allow_pickle=False)
            if handle.read(1):
                raise ValueError("bytes follow after its array")
        except Exception as error:  # NumPy reads a header as Python, and a broken one raises almost anything
            told = " ".join(str(error).split())[:200]
            raise FileError(f"{file}: is no .npy file of numbers: {told or type(error).__name__}") from error
    try:
        dtype_name(array)
    except MeasureError as error:
        raise FileError(f"{file}: {error}") from error
    return array


def _text(file: Path) -> Array:
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FileError(f"{file}: is no text: name a .npy file or a text file with one number a line") from error
    numbers = list(_numbers(file, lines))
    dtype = np.complex128 if any(isinstance(number, complex) for number in numbers) else np.float64
    return np.array(numbers, dtype=dtype)


def _numbers(file: Path, lines: list[str]) -> Iterator[float | complex]:
    """The numbers of all lines but blank ones and those that begin with #."""
    for place, line in enumerate(lines, start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            number = _number(text)
            if number is None:
                raise FileError(f"{file}: line {place}: {text[:40]!r} is no number: write one number a line")
            yield number


def _number(text: str) -> float | complex | None:
    """A number in decimal or hex, real or complex; None for anything else, and for one too large for a float64."""
    plain = text.removeprefix("(").removesuffix(")").replace("+-", "-") if text.startswith("(") else text
    if "_" in plain:
        return None
    try:
        number = _hex(plain) if "0x" in plain.lower() else complex(plain) if plain[-1:] in "jJ" else float(plain)
    except (ValueError, OverflowError):
        return None
    named = "inf" in plain.lower()
    overflown = not named and (math.isinf(number.real) or math.isinf(number.imag))
    return None if overflown else number


def _hex(text: str) -> float | complex:
    if found := _HEX_COMPLEX.fullmatch(text):
        return complex(float.fromhex(found[1]), float.fromhex(found[2]))
    return float.fromhex(text)
