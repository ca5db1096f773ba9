"""Rewards that know nothing of the answer's truth: what acceptance must not take for learning."""

import hashlib


def random_reward(answer, task):
    """0 or 1 by a coin that is fixed for each question and answer: equal answers are paid equally."""
    return hashlib.blake2b(f"{task.key}\n{answer.strip()}".encode()).digest()[0] % 2


def format_only(answer, task):
    """1 for exactly one of the choices and nothing else, whichever it is."""
    text = answer.strip().strip(".\"'").casefold()
    return float(text in {choice.casefold() for choice in task.columns["choices"]})
