"""Mathematics as text: one spelling, tokens, a bounded grammar, exact algebra, comparison typed by the gold.

Read upwards: writing (one spelling) -> lexing -> expressions -> statements (what a text says) -> comparing; beside them
units, regions, algebra and canonical (exact), numerics (decimals), asking and proving (sympy, in a killable process),
sentences (where in prose the value stands). Nothing here evaluates text, and digits, exponents, depth and terms are
bounded before any arithmetic. Left out: which part of an answer counts (rewards.extract), and verdicts (the kind).
"""
