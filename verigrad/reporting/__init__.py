"""Reads a run's files and nothing else: the static page, charts, doctor."""

from verigrad.reporting.doctor import MachineReport, RunReport, doctor
from verigrad.reporting.findings import Finding
from verigrad.reporting.machine import Check
from verigrad.reporting.page import report

__all__ = ["Check", "Finding", "MachineReport", "RunReport", "doctor", "report"]
