"""Faults of our own in copies of a release's crates: what a comparison of releases has to catch."""
