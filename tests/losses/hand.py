"""Every method's loss by hand: loops over answers and tokens as its paper writes it, sharing no code with the product.

A row is a dict: group, reward, greedy, and per chosen token new (torch scalars with gradient), old, ref, mu, value
(floats).
All methods carry the truncated mismatch weight min(old / mu, 2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Row = dict[str, Any]
Loss = Callable[[list[Row], int], Tensor]


def tis(row: Row, t: int) -> float:
    return min(math.exp(row["old"][t] - row["mu"][t]), 2.0)


def ratio(row: Row, t: int) -> Tensor:
    return torch.exp(row["new"][t] - row["old"][t])


def clipped(r: Tensor, a: float, low: float, high: float) -> Tensor:
    return torch.minimum(r * a, torch.clamp(r, 1 - low, 1 + high) * a)


def group_of(row: Row, rows: list[Row]) -> list[Row]:
    return [other for other in rows if other["group"] == row["group"]]


def mean(xs: list[float]) -> float:
    return sum(xs) / len(xs)


def std(xs: list[float], ddof: int = 0) -> float:
    m = mean(xs)
    return math.sqrt(sum((x - m) ** 2 for x in xs) / (len(xs) - ddof))


def normalised(row: Row, rows: list[Row]) -> float:
    rewards = [o["reward"] for o in group_of(row, rows)]
    s = std(rewards)
    return 0.0 if s == 0 else (row["reward"] - mean(rewards)) / s


def grpo(rows: list[Row], budget: int) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for row in rows:
        a, n = normalised(row, rows), len(row["old"])
        for t in range(n):
            gap = row["ref"][t] - row["new"][t]
            k3 = torch.exp(gap) - gap - 1
            total = total - (tis(row, t) * clipped(ratio(row, t), a, 0.2, 0.2) - 0.04 * k3) / n
    return total / len(rows)


def dr_grpo(rows: list[Row], budget: int) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for row in rows:
        a = row["reward"] - mean([o["reward"] for o in group_of(row, rows)])
        for t in range(len(row["old"])):
            total = total - tis(row, t) * clipped(ratio(row, t), a, 0.2, 0.2)
    return total / (budget * len(rows))


def dapo(rows: list[Row], budget: int) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    groups = sorted({row["group"] for row in rows})
    for g in groups:
        members = [row for row in rows if row["group"] == g]
        tokens = sum(len(row["old"]) for row in members)
        for row in members:
            for t in range(len(row["old"])):
                gain = clipped(ratio(row, t), normalised(row, rows), 0.2, 0.28)
                total = total - tis(row, t) * gain / tokens / len(groups)
    return total


def gspo(rows: list[Row], budget: int) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for row in rows:
        n = len(row["old"])
        s = torch.exp(sum((row["new"][t] - row["old"][t] for t in range(n)), torch.zeros(())) / n)
        gain = clipped(s, normalised(row, rows), 3e-4, 4e-4)
        total = total - gain * sum(tis(row, t) for t in range(n)) / n
    return total / len(rows)


def gspo_token(rows: list[Row], budget: int) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for row in rows:
        n = len(row["old"])
        s = math.exp(sum(row["new"][t].item() - row["old"][t] for t in range(n)) / n)
        for t in range(n):
            s_t = s * torch.exp(row["new"][t]) / torch.exp(row["new"][t]).item()
            total = total - tis(row, t) * clipped(s_t, normalised(row, rows), 3e-4, 4e-4) / n
    return total / len(rows)


def cispo(rows: list[Row], budget: int) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    groups = sorted({row["group"] for row in rows})
    for g in groups:
        members = [row for row in rows if row["group"] == g]
        tokens = sum(len(row["old"]) for row in members)
        for row in members:
            for t in range(len(row["old"])):
                w = min(ratio(row, t).item(), 5.0)
                total = total - tis(row, t) * w * normalised(row, rows) * row["new"][t] / tokens / len(groups)
    return total


def rloo(rows: list[Row], budget: int) -> Tensor:
    def earned(row: Row) -> float:
        return row["reward"] - 0.03 * sum(o - r for o, r in zip(row["old"], row["ref"], strict=True))

    total = torch.zeros((), dtype=torch.float64)
    for row in rows:
        others = [earned(o) for o in group_of(row, rows) if o is not row]
        a = earned(row) - mean(others)
        for t in range(len(row["old"])):
            total = total - tis(row, t) * a * row["new"][t]
    return total / len(rows)


def remax(rows: list[Row], budget: int) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for row in rows:
        for t in range(len(row["old"])):
            total = total - tis(row, t) * (row["reward"] - row["greedy"]) * row["new"][t]
    return total / len(rows)


def whitened(table: list[list[float]]) -> list[list[float]]:
    flat = [a for row in table for a in row]
    m, s = mean(flat), std(flat)
    return [[0.0 if s == 0 else (a - m) / s for a in row] for row in table]


def reinforce_pp(rows: list[Row], budget: int) -> Tensor:
    returns = [
        [
            row["reward"] - 0.01 * sum(row["old"][i] - row["ref"][i] for i in range(t, len(row["old"])))
            for t in range(len(row["old"]))
        ]
        for row in rows
    ]
    total = torch.zeros((), dtype=torch.float64)
    for row, advantage in zip(rows, whitened(returns), strict=True):
        for t, a in enumerate(advantage):
            total = total - tis(row, t) * clipped(ratio(row, t), a, 0.2, 0.2)
    return total / sum(len(row["old"]) for row in rows)


def reinforce_pp_baseline(rows: list[Row], budget: int) -> Tensor:
    centred = [[row["reward"] - mean([o["reward"] for o in group_of(row, rows)])] * len(row["old"]) for row in rows]
    total = torch.zeros((), dtype=torch.float64)
    for row, advantage in zip(rows, whitened(centred), strict=True):
        for t, a in enumerate(advantage):
            k2 = 0.5 * (row["new"][t] - row["ref"][t]) ** 2
            total = total - tis(row, t) * clipped(ratio(row, t), a, 0.2, 0.2) + 0.01 * k2
    return total / sum(len(row["old"]) for row in rows)


def lite_ppo(rows: list[Row], budget: int) -> Tensor:
    s = std([row["reward"] for row in rows], ddof=1)
    total = torch.zeros((), dtype=torch.float64)
    for row in rows:
        a = (row["reward"] - mean([o["reward"] for o in group_of(row, rows)])) / s
        for t in range(len(row["old"])):
            total = total - tis(row, t) * clipped(ratio(row, t), a, 0.2, 0.2)
    return total / sum(len(row["old"]) for row in rows)


def estimated(row: Row, gamma: float, lam: float, beta: float) -> list[float]:
    """GAE as its paper sums it: every later surprise, discounted by how far away it is."""
    n = len(row["old"])
    paid = [-beta * (row["old"][t] - row["ref"][t]) for t in range(n)]
    paid[-1] += row["reward"]
    values = [*row["value"], 0.0]
    surprise = [paid[t] + gamma * values[t + 1] - values[t] for t in range(n)]
    return [sum((gamma * lam) ** (k - t) * surprise[k] for k in range(t, n)) for t in range(n)]


def ppo(rows: list[Row], budget: int) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for row, advantage in zip(rows, whitened([estimated(row, 1.0, 0.95, 0.05) for row in rows]), strict=True):
        for t, a in enumerate(advantage):
            total = total - tis(row, t) * clipped(ratio(row, t), a, 0.2, 0.2)
    return total / sum(len(row["old"]) for row in rows)


HAND: dict[str, Loss] = {
    f.__name__: f
    for f in (
        grpo,
        dr_grpo,
        dapo,
        gspo,
        gspo_token,
        cispo,
        rloo,
        remax,
        reinforce_pp,
        reinforce_pp_baseline,
        lite_ppo,
        ppo,
    )
}
