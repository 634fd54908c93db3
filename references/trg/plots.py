"""The plots of the page, as SVG text, drawn from the series of the sections."""

import io
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import matplotlib as mpl

from . import onsager
from .jump import Point, excess

mpl.use("svg")
mpl.rcParams["svg.fonttype"] = "none"  # text stays text: it can be searched and follows the reader's font
mpl.rcParams["axes.spines.top"] = mpl.rcParams["axes.spines.right"] = False

Series = Mapping[str, Any]
CURVE_POINTS = 400
QUANTITIES = ("lnZ/N", "u", "c")


def svg(draw: Callable[[Any], None], *, columns: int = 1, height: float = 3.2) -> str:
    """The figure that `draw` fills, as an SVG element."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, columns, figsize=(4.2 * columns, height), layout="constrained")
    draw(axes)
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    plt.close(figure)
    text = file.getvalue()
    return text[text.index("<svg") :]


def against_onsager(series: Series) -> str:
    """lnZ/N, u and c of both sides on Onsager's curves."""
    betas = series["betas"]
    low, high = min(betas), max(betas)
    margin = max((high - low) / 10, 0.02)
    curve = [max(low - margin, 0.01) + i * (high - low + 2 * margin) / CURVE_POINTS for i in range(CURVE_POINTS + 1)]
    exact = [onsager.exact(beta).all for beta in curve]

    def draw(axes: Any) -> None:
        for i, (axis, name) in enumerate(zip(axes, QUANTITIES, strict=True)):
            axis.plot(curve, [row[i] for row in exact], color="0.6", label="Onsager")
            for (side, marker), size in zip(_markers(series).items(), (9, 5, 5, 5), strict=False):
                points = [series["found"][side, beta][i] for beta in betas]
                axis.plot(betas, points, marker, markersize=size, fillstyle="none", label=side)
            axis.set(xlabel="β", title=name)
        axes[0].legend(frameon=False)

    return svg(draw, columns=3)


def _markers(series: Series) -> dict[str, str]:
    names = list(dict.fromkeys(side for side, _ in series["found"]))
    return dict(zip(names, ("o", "x", "+", "s"), strict=False))


def agreement(series: Series) -> str:
    """|tenferro − JAX| by β, value and derivative, beside what is allowed; 0 is drawn at the axis' foot."""
    foot = 1e-17

    def draw(axes: Any) -> None:
        for axis, name in zip(axes, ("value", "grad"), strict=True):
            for side, by_beta in series[name].items():
                axis.plot(series["betas"], [max(abs(x), foot) for x in by_beta], "o-", fillstyle="none", label=side)
            axis.axhline(series["allowed"][name], color="0.5", linestyle="--", label="allowed")
            axis.set(
                yscale="log", xlabel="β", title=f"|tenferro − JAX|, {'lnZ/N' if name == 'value' else 'derivative'}"
            )
        axes[0].legend(frameon=False)

    return svg(draw, columns=2)


def over_h(series: Series) -> str:
    """c by step size for both β, with the value of jvp(grad)."""

    def draw(axes: Any) -> None:
        for axis, (beta, third) in zip(axes, series["third"].items(), strict=True):
            hs = [h for b, h in series["c"] if b == beta]
            for i, side in enumerate(series["sides"]):
                marker, size = (("o", 9), ("x", 5))[min(i, 1)]
                points = [series["c"][beta, h][i] for h in hs]
                axis.plot(hs, points, f"{marker}-", markersize=size, fillstyle="none", label=side)
            axis.axhline(third, color="0.5", linestyle="--", label="jvp(grad)")
            axis.set(xscale="log", xlabel="h", title=f"c at β = {beta:g}")
        axes[0].legend(frameon=False)

    return svg(draw, columns=2)


def jump(series: Series) -> str:
    """lnZ/N less the straight line of its first slope, and the excess of every piece."""
    betas = series["betas"]

    def draw(axes: Any) -> None:
        for (side, pairs), marker in zip(series["sides"].items(), ("o", "x"), strict=False):
            points = [Point(beta, *pair) for beta, pair in zip(betas, pairs, strict=True)]
            pieces = [excess(a, b) for a, b in pairwise(points)]
            total = [sum(pieces[:i]) for i in range(len(points))]
            offset = [1e6 * (beta - betas[len(betas) // 2]) for beta in betas]
            axes[0].plot(offset, total, f"{marker}-", markersize=4, fillstyle="none", label=side)
            axes[1].semilogy(offset[1:], [max(abs(x), 1e-17) for x in pieces], marker, fillstyle="none", label=side)
        axes[0].set(xlabel="10⁶ (β − 0.44)", title="lnZ/N beyond its slope")
        axes[1].set(xlabel="10⁶ (β − 0.44)", title="|excess| of each piece")
        axes[0].legend(frameon=False)

    return svg(draw, columns=2)


def variants(series: Series) -> str:
    """The runs of every variant, milliseconds."""

    def draw(axis: Any) -> None:
        places = range(len(series["names"]))
        for place, seconds in zip(places, series["seconds"], strict=True):
            axis.plot([1000 * s for s in seconds], [place] * len(seconds), "o", color="C0", fillstyle="none")
        axis.set_yticks(list(places), series["names"])
        axis.set(xlabel="ms a value and gradient", xlim=(0, None))
        axis.invert_yaxis()

    return svg(draw, height=3.6)


def scan(series: Series) -> str:
    """c over the scan beside Onsager's."""
    betas = series["betas"]
    curve = [min(betas) + i * (max(betas) - min(betas)) / CURVE_POINTS for i in range(CURVE_POINTS + 1)]

    def draw(axis: Any) -> None:
        axis.plot(curve, [onsager.exact(beta).c for beta in curve], color="0.6", label="Onsager")
        axis.plot(betas, [c[0] for c in series["c"]], "o", markersize=9, fillstyle="none", label="JAX jvp(grad)")
        axis.plot(betas, [c[1] for c in series["c"]], "x", label="tenferro difference")
        axis.set(xlabel="β", title="c over the scan")
        axis.legend(frameon=False)

    return svg(draw)


OF_SECTION: Mapping[str, Callable[[Series], str]] = {
    "values": agreement,
    "onsager": against_onsager,
    "c-by-h": over_h,
    "jump": jump,
    "scan": scan,
    "variants": variants,
}
