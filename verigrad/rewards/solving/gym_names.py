"""The tasks of reasoning-gym 0.1.25, each read once: who judges its answers here.

OWN: a puzzle of `logic` judges, from the item's metadata. EXACT: one right answer in one spelling that the question
asks for, compared as text, number or JSON. REFUSED, with the reason: several right answers that no puzzle here checks,
rounding the question leaves open, or a scorer that evaluates the answer's text. reasoning-gym's own scorers are never
called: several evaluate text (countdown, bitwise_arithmetic, propositional_logic, the integrals), most pay for near
misses. A name that is in none of the three is refused too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Truth = Mapping[str, Any]

OWN: Mapping[str, Callable[[Truth], dict[str, Any]]] = {
    "countdown": lambda m: {
        "type": "countdown",
        "numbers": m["numbers"],
        "target": m["target"],
        "use_all": True,
    },
    "cryptarithm": lambda m: {
        "type": "cryptarithm",
        "equation": " + ".join(m["words_letters"]) + " = " + m["result_letters"],
        "allow_leading_zero": bool(m.get("allow_leading_zero", False)),
    },
    "mini_sudoku": lambda m: {"type": "mini_sudoku", "puzzle": m["puzzle"]},
    "prime_factorization": lambda m: {"type": "prime_factorization", "n": m["number"]},
    "puzzle24": lambda m: {"type": "countdown", "numbers": m["numbers"], "target": 24, "use_all": True},
    "sudoku": lambda m: {"type": "sudoku", "puzzle": m["puzzle"]},
    "tower_of_hanoi": lambda m: {
        "type": "hanoi",
        "disks": m["num_disks"],
        "pegs": m["num_pegs"],
        "start": m["start_peg"],
        "goal": m["target_peg"],
    },
}
EXACT = frozenset(
    (
        *("ab", "acre", "aiw", "arc_1d", "arc_agi", "base_conversion", "basic_arithmetic", "bf", "binary_alternation"),
        *("binary_matrix", "bitwise_arithmetic", "caesar_cipher", "calendar_arithmetic", "chain_sum", "circuit_logic"),
        *("color_cube_rotation", "count_bits", "count_primes", "course_schedule", "decimal_arithmetic"),
        *("decimal_chain_sum", "dice", "emoji_mystery", "family_relationships", "figlet_font"),
        *("fraction_simplification", "futoshiki", "game_of_life", "game_of_life_halting", "gcd", "gsm_symbolic"),
        *("isomorphic_strings", "knights_knaves", "largest_island", "lcm", "leg_counting", "letter_counting"),
        *("list_functions", "mahjong_puzzle", "manipulate_matrix", "maze", "modulo_grid", "needle_haystack"),
        *("number_filtering", "number_format", "number_sequence", "number_sorting", "path_star", "products"),
        *("ransom_note", "rearc", "rectangle_count", "rotate_matrix", "rotten_oranges", "self_reference"),
        *("simple_equations", "simple_geometry", "spell_backward", "spiral_matrix", "string_insertion"),
        *("string_manipulation", "string_splitting", "string_synthesis", "syllogism", "time_intervals"),
        *("word_sequence_reversal", "word_sorting", "zebra_puzzles"),
    )
)
_SEVERAL = "several right answers"
_ROUNDED = "rounding that the question leaves open"
_SPELLED = "one value in several spellings"
REFUSED: Mapping[str, str] = {
    "advanced_geometry": _ROUNDED,
    "boxnet": _SEVERAL,
    "codeio": _SEVERAL,
    "coin_flip": _ROUNDED,
    "composite": "a mixture of other tasks: name them",
    "complex_arithmetic": _SPELLED,
    "graph_color": _SEVERAL,
    "group_anagrams": _SEVERAL,
    "intermediate_integration": "its scorer evaluates the answer's text",
    "jugs": _SEVERAL,
    "kakurasu": _SEVERAL,
    "knight_swap": _SEVERAL,
    "letter_jumble": _SEVERAL,
    "n_queens": _SEVERAL,
    "palindrome_generation": _SEVERAL,
    "palindrome_partitioning": _SEVERAL,
    "polynomial_equations": _SPELLED,
    "polynomial_multiplication": "its scorer evaluates the answer's text",
    "pool_matrix": _ROUNDED,
    "power_function": _ROUNDED,
    "propositional_logic": "its scorer evaluates the answer's text",
    "quantum_lock": _SEVERAL,
    "rubiks_cube": _SEVERAL,
    "rush_hour": _SEVERAL,
    "sentence_reordering": _SEVERAL,
    "shortest_path": _SEVERAL,
    "simple_integration": "its scorer evaluates the answer's text",
    "sokoban": _SEVERAL,
    "survo": _SEVERAL,
    "tsumego": _SEVERAL,
    "word_ladder": _SEVERAL,
}


def refused(name: object) -> str:
    """Why answers to a task are not judged here; empty where they are."""
    if name in OWN or name in EXACT:
        return ""
    return f"{str(name)[:40]}: {REFUSED.get(str(name), 'a task nobody has read')}"
