"""Answers kept on disk: the references', computed once for every release, and tenferro's raw ones where asked for."""

from __future__ import annotations

import hashlib
import pickle
import platform
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from compare.header import versions
from references.question import Answer, Question

Ask = Callable[[Question], Answer]

LASTING: Final = ("ok", "error", "unsupported")
"""Outcomes that belong to the question; a crash or a timeout may belong to the machine, and is asked for again."""


class Store:
    """Answers by question in one file; several processes may share it. context: what else the answers depend on."""

    def __init__(self, path: Path, *, context: str) -> None:
        """Open the file, or make it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._context = context
        self._file = sqlite3.connect(path, timeout=60, isolation_level=None)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=OFF")
        self._file.execute("CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, question TEXT, answer BLOB)")

    def get(self, question: Question) -> Answer | None:
        """The answer kept of a question, if there is one."""
        found = self._file.execute("SELECT answer FROM answers WHERE key = ?", (self._key(question),)).fetchone()
        answer = pickle.loads(found[0]) if found else None
        assert answer is None or isinstance(answer, Answer), question
        return answer

    def put(self, question: Question, answer: Answer) -> None:
        """Keep an answer; one that was there is replaced."""
        packed = pickle.dumps(answer, protocol=5)
        self._file.execute("REPLACE INTO answers VALUES (?, ?, ?)", (self._key(question), repr(question), packed))

    def items(self) -> Iterator[tuple[str, Answer]]:
        """Every question, as text, with its answer."""
        for question, packed in self._file.execute("SELECT question, answer FROM answers ORDER BY question"):
            yield question, pickle.loads(packed)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _key(self, question: Question) -> bytes:
        return hashlib.blake2b(f"{self._context}|{question!r}".encode(), digest_size=16).digest()


def reference_context(sources: Iterable[Path]) -> str:
    """What a reference's answer depends on besides the question: the libraries, the machine, the cases' sources."""
    digest = hashlib.blake2b(repr(sorted(versions().items())).encode(), digest_size=16)
    digest.update(f"{platform.system()}|{platform.machine()}|{platform.processor()}".encode())
    for path in sorted(sources):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def asking(ask: Ask, *, references: Store | None) -> Ask:
    """`ask`, with references looked up first and kept after."""

    def answer(question: Question) -> Answer:
        if question.side == "tenferro":
            return ask(question)
        kept = references.get(question) if references is not None else None
        found = kept or ask(question)
        if kept is None and references is not None and found.outcome in LASTING:
            references.put(question, found)
        return found

    return answer
