"""Reads a run's files and nothing else: the static page, charts, doctor."""

from verigrad.reporting.page import report

__all__ = ["report"]
