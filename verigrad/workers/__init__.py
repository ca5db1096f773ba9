"""Who does the work of a step: `Inline`, everything in this process. Other processes and ray come later."""

from verigrad.workers.inline import Inline

__all__ = ["Inline"]
