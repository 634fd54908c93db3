"""The figures of the publication: data, never expectations of a run other than through a category's tolerance."""

import functools
import struct
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).parent.parent / "published.toml"
QUANTITY = {"value": "lnz", "grad": "grad"}


@functools.cache
def trg() -> Mapping[str, Any]:
    """The table `[trg]` of `published.toml`."""
    with FILE.open("rb") as file:
        found: Mapping[str, Any] = tomllib.load(file)["trg"]
    return found


def number(text: str) -> float:
    """A float from Python's hex (JAX's figures) or from the sixteen digits of its bits (tenferro's)."""
    if "0x" in text:
        return float.fromhex(text)
    return float(struct.unpack(">d", bytes.fromhex(text))[0])


def betas() -> tuple[float, ...]:
    """The β of the publication's table."""
    return tuple(row["beta"] for row in trg()["beta"])


def bits(beta: float, key: str) -> dict[str, float]:
    """lnz, grad and c of one β by JAX ("jax") or by tenferro at a width ("w1", "w8")."""
    row = next(row for row in trg()["beta"] if row["beta"] == beta)
    return {name: number(text) for name, text in row[key].items() if isinstance(text, str)}


def references(beta: float) -> dict[str, dict[str, tuple[np.ndarray[Any, Any], ...]]]:
    """Key → transform → arrays, the form a case takes."""
    return {
        key: {transform: (np.asarray(bits(beta, key)[name]),) for transform, name in QUANTITY.items()}
        for key in ("jax", "w1", "w8")
    }


Figures = dict[str, tuple[np.ndarray[Any, Any], ...]]


def specific_heats(keys: Sequence[str]) -> dict[str, Figures]:
    """c of the five β by difference with h = 1e-5, by key."""
    return {key: {"value": (np.array([bits(beta, key)["c"] for beta in betas()]),)} for key in keys}


def second_derivatives() -> dict[str, Figures]:
    """c of the five β by JAX's jvp(grad), twelve digits."""
    return {"jvp": {"value": (np.array([row["jax"]["c_jvp"] for row in trg()["beta"]]),)}}


def beside_the_crossing() -> dict[str, Figures]:
    """c at β = 0.44 with h = 1e-6, within which no singular values cross: by tenferro and by JAX's jvp(grad)."""
    row = next(row for row in trg()["beta"] if row["beta"] == 0.44)
    figures = {"w1": number(row["w1_h1e6"]["c"]), "jvp": row["jax"]["c_jvp"]}
    return {key: {"value": (np.array([c]),)} for key, c in figures.items()}


def scan() -> dict[str, Figures]:
    """c over the scan: JAX by jvp(grad), tenferro by difference, nine digits."""
    rows = np.array(trg()["scan"]["rows"])
    return {"jvp": {"value": (rows[:, 2],)}, "w1": {"value": (rows[:, 3],)}}


def chi_24() -> dict[str, Figures]:
    """lnZ/N and its derivative at β = 0.44 with χ = 24, at width 8."""
    row = trg()["chi24"]
    return {"w8": {"value": (np.asarray(row["lnz"]),), "grad": (np.asarray(-row["u"]),)}}


def error_ratio(name: str, beta: float) -> float:
    """The published distance to Onsager with χ = 16, over that with χ = 24; name: "u" or "lnz"."""
    row = next(row for row in trg()["beta"] if row["beta"] == beta)
    return float(row["minus_onsager"][name] / trg()["chi24"][f"{name}_error"])


def minus_onsager(beta: float) -> tuple[float, float, float]:
    """The published distances of lnZ/N, u and c to Onsager, χ = 16."""
    row = next(row for row in trg()["beta"] if row["beta"] == beta)["minus_onsager"]
    return row["lnz"], row["u"], row["c"]
