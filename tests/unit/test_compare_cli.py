"""python -m compare REF GOT [TOL]: figures and 0 or 1, or one clear line and 2."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compare.__main__ import main

POINTS = np.linspace(-2.0, 2.0, 1000)
GRADIENT = 2 * POINTS * np.sin(POINTS) + POINTS**2 * np.cos(POINTS)
type Write = Callable[[str, Any], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write an array to a .npy file, or text to any file; its path."""

    def file(name: str, content: Any) -> str:
        path = tmp_path / name
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        else:
            np.save(path, content, allow_pickle=content.dtype.hasobject)
        return str(path)

    return file


def changed(at: int, by: float) -> Any:
    other = GRADIENT.copy()
    other[at] += by
    return other


def lines(text: str) -> dict[str, str]:
    """The printed figures by name."""
    return {line[:14].strip(): line[14:].strip() for line in text.splitlines()}


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line with which arguments are refused."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    printed = capsys.readouterr()
    assert (caught.value.code, printed.out) == (2, "")
    assert printed.err.startswith("compare: ")
    assert printed.err.count("\n") == 1
    return printed.err


def test_the_gradient_with_1e_13_added_to_element_500_is_a_mismatch(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    ref, got = write("ref.npy", GRADIENT), write("got.npy", changed(500, 1e-13))
    assert main([ref, got]) == 1
    found = lines(capsys.readouterr().out)
    assert (found["n"], found["at"], found["bitwise equal"]) == ("1000", "500", "999")
    assert (float(found["max|ref|"]), float(found["bound"])) == (abs(GRADIENT).max(), 1e-14 * abs(GRADIENT).max())
    assert float(found["max|diff|"]) == abs(changed(500, 1e-13)[500] - GRADIENT[500])
    assert found["ref"].startswith(f"{float(GRADIENT[500])!r} ({float(GRADIENT[500]).hex()})")
    assert found["got"].split()[0] == repr(float(changed(500, 1e-13)[500]))
    assert "MISMATCH" in found
    assert int(found["max ulp"]) > 10**6


def test_a_command_of_its_own_tells_the_same(write: Write) -> None:
    ref, got = write("ref.npy", GRADIENT), write("got.npy", changed(500, 1e-13))
    command = [sys.executable, "-m", "compare", ref]
    done = subprocess.run([*command, got], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1], done.stderr) == (1, "MISMATCH", "")
    done = subprocess.run([*command, f"{got}.gone"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(("tolerance", "code"), [("0", 1), ("1e-15", 1), ("1e-13", 0), ("1", 0), ("+1e-12", 0)])
def test_the_tolerance_is_taken(write: Write, tolerance: str, code: int) -> None:
    assert main([write("ref.npy", GRADIENT), write("got.npy", changed(3, 1e-13)), tolerance]) == code


def test_minus_nothing_is_nothing_and_a_byte_order_mark_is_no_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    marked = tmp_path / "marked.txt"
    marked.write_text("\ufeff1.5\n2.5\n", encoding="utf-8")
    assert main([str(marked), str(marked), "-0"]) == 0
    assert "-0" not in capsys.readouterr().out


def test_equal_numbers_are_within_a_tolerance_of_nothing(write: Write) -> None:
    ref = write("ref.npy", GRADIENT)
    assert main([ref, ref, "0"]) == 0


@pytest.mark.parametrize(
    ("ref", "got", "code"),
    [
        ([np.nan, 1.0], [np.nan, 1.0], 0),
        ([np.nan, 1.0], [1.0, 1.0], 1),
        ([1.0, 1.0], [1.0, np.nan], 1),
        ([np.inf, 1.0], [np.inf, 1.0], 0),
        ([np.inf, 1.0], [-np.inf, 1.0], 1),
        ([np.inf, 1.0], [1e308, 1.0], 1),
        ([0.0, 1.0], [-0.0, 1.0], 0),
        ([0.0, 0.0], [1e-15, 0.0], 0),
        ([7, 8], [7, 8], 0),
        ([7, 8], [7, 9], 1),
        ([True], [False], 1),
        ([1 + 2j], [1 + 2j], 0),
        ([1 + 2j], [1 + 2.1j], 1),
        ([complex(np.nan, 1)], [complex(1, 1)], 1),
    ],
)
def test_special_numbers_and_other_dtypes(write: Write, ref: Any, got: Any, code: int) -> None:
    assert main([write("ref.npy", np.array(ref)), write("got.npy", np.array(got))]) == code


def test_nan_against_a_number_is_told_with_both(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    main([write("ref.npy", np.array([1.0, np.nan])), write("got.npy", np.array([1.0, 2.0]))])
    assert "differs 1 times, first at 1: ref nan, got 0x1.0000000000000p+1" in capsys.readouterr().out


def test_an_index_is_told_by_axis_too(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    ref = np.zeros((3, 4), order="F") + 1
    main([write("ref.npy", ref), write("got.npy", np.where(np.arange(12).reshape(3, 4) == 6, 2.0, ref))])
    assert lines(capsys.readouterr().out)["at"] == "6 (1, 2)"


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">c16", ">i4"])
def test_another_byte_order_is_no_other_dtype(write: Write, dtype: str) -> None:
    array = (GRADIENT * 100).astype(dtype)
    assert main([write("ref.npy", array), write("got.npy", array.astype(array.dtype.newbyteorder("<")))]) == 0


# Text.


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1\n-2.5e3\n 3 \n", [1.0, -2500.0, 3.0]),
        ("# a remark\n\n1\r\n2", [1.0, 2.0]),
        ("0x1.8p+1\n-0x1p-1074\n0X10\n", [3.0, -5e-324, 16.0]),
        ("nan\ninf\n-Infinity\n", [np.nan, np.inf, -np.inf]),
        ("1+2j\n(3-4j)\n5\n1j\n", [1 + 2j, 3 - 4j, 5, 1j]),
        ("(1.0e+00+-2.0e+00j)\n", [1 - 2j]),
        ("0x1p0+0x1.8p1j\n-0x1p0-0x1p-1j\n", [1 + 3j, -1 - 0.5j]),
    ],
)
def test_text_holds_one_number_a_line(write: Write, text: str, numbers: list[complex]) -> None:
    assert main([write("ref.npy", np.array(numbers)), write("got.txt", text), "0"]) == 0


@pytest.mark.parametrize("array", [GRADIENT, GRADIENT - 1j * GRADIENT[::-1]])
def test_what_numpy_writes_as_text_is_read_to_the_last_bit(write: Write, tmp_path: Path, array: Any) -> None:
    np.savetxt(tmp_path / "got.txt", array)
    assert main([write("ref.npy", array), str(tmp_path / "got.txt"), "0"]) == 0


@pytest.mark.parametrize(
    "line", ["1 2", "1,5", "one", "1_0", "1e999", "-1e999", "0x", "0xg", "1+2i", "--1", "0x1p0+2j"]
)
def test_a_line_that_is_no_number_is_named(write: Write, capsys: pytest.CaptureFixture[str], line: str) -> None:
    good, bad = write("good.txt", "1\n2\n3\n"), write("bad.txt", f"1\n2\n{line}\n")
    assert f"bad.txt: line 3: {line!r} is no number" in refused(capsys, good, bad)
    assert "bad.txt: line 3" in refused(capsys, bad, good)


# What cannot be compared.


@pytest.mark.parametrize(
    "tolerance", ["-1", "-1e-14", "inf", "-inf", "nan", "x", "", "1e-14x", "1e999", "-h3", "1_0", "١"]
)
def test_a_tolerance_that_is_none(write: Write, capsys: pytest.CaptureFixture[str], tolerance: str) -> None:
    ref = write("ref.npy", GRADIENT)
    told = refused(capsys, ref, ref, tolerance)
    assert "tolerance" in told
    assert "give a finite one that is not negative" in told


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.npy", "", "is empty"),
        ("empty.txt", "", "is empty"),
        ("blank.txt", "\n# nothing\n", "holds no number"),
        ("none.npy", np.ones((0, 3)), "holds no number"),
        ("words.npy", "1\n2\n", "is no .npy file of numbers"),
        ("objects.npy", np.array([1, "a"], object), "Object arrays cannot be loaded when allow_pickle=False"),
        ("half.npy", np.ones(1000, np.float16), "dtype float16 cannot be compared"),
        ("unsigned.npy", np.ones(1000, np.uint64), "dtype uint64 cannot be compared"),
        ("fields.npy", np.ones(1000, "f4,f4"), "cannot be compared"),
        ("letters.npy", np.full(1000, "a"), "cannot be compared"),
        ("times.npy", np.ones(1000, "datetime64[s]"), "cannot be compared"),
        ("single.npy", GRADIENT.astype(np.float32), "dtype of"),
        ("short.npy", GRADIENT[:999], "shape of"),
        ("column.npy", GRADIENT[:, None], "is (1000,), of"),
        ("complex.txt", "1j\n" * 1000, "dtype of"),
    ],
)
def test_a_file_that_cannot_be_compared(
    write: Write, capsys: pytest.CaptureFixture[str], name: str, content: Any, words: str
) -> None:
    ref, got = write("ref.npy", GRADIENT), write(name, content)
    told = refused(capsys, ref, got)
    assert words in told
    assert name in told


def test_a_file_cut_short(write: Write, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ref = write("ref.npy", GRADIENT)
    for length in (3, 9, 100, 1000):
        (tmp_path / "cut.npy").write_bytes(Path(ref).read_bytes()[:length])
        assert "cut.npy: is no .npy file of numbers" in refused(capsys, ref, str(tmp_path / "cut.npy"))


def test_an_archive_a_directory_and_nothing(write: Write, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ref = write("ref.npy", GRADIENT)
    np.savez(tmp_path / "archive.npz", GRADIENT)
    (tmp_path / "archive.npz").rename(tmp_path / "archive.npy")
    assert "archive.npy: is an archive of arrays" in refused(capsys, ref, str(tmp_path / "archive.npy"))
    assert "is a directory" in refused(capsys, str(tmp_path), ref)
    assert "nowhere.npy: No such file" in refused(capsys, ref, str(tmp_path / "nowhere.npy"))


@pytest.mark.parametrize("broken", [b"\0" * 8, b"'descr'", b"(1000" + b"0" * 12, b'\n"""', b"PK\x03\x04"])
def test_a_broken_header(write: Write, capsys: pytest.CaptureFixture[str], tmp_path: Path, broken: bytes) -> None:
    ref = write("ref.npy", GRADIENT)
    whole = bytearray(Path(ref).read_bytes())
    for at in (0, 10, 20, whole.index(b"(1000")):
        other = whole.copy()
        other[at : at + len(broken)] = broken
        (tmp_path / "broken.npy").write_bytes(other)
        assert "broken.npy: is " in refused(capsys, ref, str(tmp_path / "broken.npy"))


def test_bytes_that_are_no_text(write: Write, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "bytes.bin").write_bytes(b"\xff\xfe\x00\x80")
    assert "bytes.bin: is no text" in refused(capsys, write("ref.npy", GRADIENT), str(tmp_path / "bytes.bin"))


@pytest.mark.parametrize("arguments", [[], ["one.npy"], ["a", "b", "1", "more"]])
def test_too_few_and_too_many_arguments(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert "see python -m compare --help" in refused(capsys, *arguments)


def test_help_tells_what_the_exit_codes_mean(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    assert "Exit: 0 for OK, 1 for MISMATCH, 2 for what cannot be compared." in capsys.readouterr().out


def test_neither_jax_nor_torch_is_imported() -> None:
    text = "import sys, compare.__main__; print(sorted({'jax', 'torch', 'tenferro_harness'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_bound_beyond_the_floats_is_refused(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    ref, got = write("ref.npy", np.array([1.7e308])), write("got.npy", np.array([-1.7e308]))
    assert "beyond float64" in refused(capsys, ref, got, "2")


def test_bytes_after_an_array_are_refused(tmp_path: Path, write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    ref = write("ref.npy", GRADIENT)
    with Path(ref).open("ab") as file:
        file.write(b"more")
    assert "bytes follow" in refused(capsys, ref, ref)


def test_figures_that_cannot_be_printed_are_no_verdict(write: Write) -> None:
    ref = write("ref.npy", GRADIENT)
    nobody, into = os.pipe()
    os.close(nobody)  # as where the reader has gone
    done = subprocess.run(
        [sys.executable, "-m", "compare", ref, ref], stdout=into, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(into)
    assert done.returncode == 2
    assert done.stderr.startswith("compare: the figures cannot be printed")
    assert done.stderr.count("\n") == 1


def test_a_pipe_is_read_as_a_file_is(write: Write) -> None:
    ref = write("ref.txt", "1.5\n2.5\n")
    command = f"{sys.executable} -m compare {ref} <(cat {ref})"
    assert subprocess.run(["bash", "-c", command], stdout=subprocess.DEVNULL, check=False).returncode == 0
