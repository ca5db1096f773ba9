"""A run's files: written whole or not at all, read while being written. See docs/design.md 8."""

from verigrad.store.compare import compare_runs
from verigrad.store.run_directory import RunDirectory, taken

__all__ = ["RunDirectory", "compare_runs", "taken"]
