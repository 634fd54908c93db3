"""The TRG of the two-dimensional Ising model: one program of β, twenty steps deep, differentiated."""

from .cases import CASES

__all__ = ["CASES"]
