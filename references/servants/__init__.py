"""Answers from processes that may die: one servant a library, watched from outside."""
