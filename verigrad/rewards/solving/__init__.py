"""What the puzzles of `logic` share: terms, arithmetic, grids, and the solver's process."""
