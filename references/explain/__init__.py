"""Why two sides differ: `python -m references.explain CASE` accounts for every differing element of a case."""

from references.explain.account import Explanation, explain
from references.explain.sides import Asked, ExplainError

__all__ = ["Asked", "ExplainError", "Explanation", "explain"]
