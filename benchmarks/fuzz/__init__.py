"""Fuzzing of every verifier's parsers: no exception, no case over its time limit. `make fuzz`."""
