"""A user's own check and her own grader for SQL: both run the answer on rows made up for the task and compare results.

`rows_match` judges in training, `same_on_fresh_rows` accepts. They read the answer in two ways and share no rows: an
answer that only fits the check's rows (`SELECT 7` where the count happens to be 7) is paid in training and refused in
acceptance. Queries are hostile until proven otherwise: an empty database in memory, SQLite's own gate open for reading
one table with a few functions, limits on every size, and a step counter; beside that verigrad kills the process of a
check that takes too long. Left out: several tables, NULLs, the order of rows.
"""

import random
import re
import sqlite3

STEPS = 100_000
"""SQLite instructions a query may take."""
LIMITS = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1000,
    sqlite3.SQLITE_LIMIT_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 30,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 30,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 4,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
"""Bytes of a query, of a value and of a LIKE pattern; depth of an expression; parts of a UNION; other databases."""
FUNCTIONS = {"count", "max", "min", "sum", "avg", "total", "abs", "round", "length", "lower", "upper", "like"}
"""What a query may call. Others can be slow in a single step (randomblob, zeroblob, replace), or load code."""
WORDS = ("amber", "birch", "comet", "delta", "ember", "flint", "grove", "heron", "iris", "jade")
"""Filling for the text columns."""


def rows_match(answer, task):
    """The check of training: the query, in a code block or alone, gives the gold's rows on this task's one table."""
    parts = answer.split("```")
    if len(parts) not in (1, 3):
        return False
    query = parts[len(parts) // 2].strip().removeprefix("sql")
    return same_result(query, task, seed=1)


def same_on_fresh_rows(answer, task):
    """The grader: one statement, opening with SELECT and closing with nothing after it, right on three other tables."""
    lines = [line for line in answer.strip().splitlines() if not re.fullmatch(r"\s*```\w*\s*", line)]
    query = " ".join(lines).strip().removesuffix(";")
    if not re.match(r"SELECT\b", query, flags=re.IGNORECASE) or "`" in query:
        return False
    return all(same_result(query, task, seed=seed) for seed in (11, 12, 13))


def same_result(query, task, *, seed):
    """Whether both queries run and give the same rows, in any order, on the table that this seed fills."""
    table = filled(task.columns["schema"], task.gold, seed=seed)
    expected = result(task.gold, table)
    return expected is not None and result(query, table) == expected


def filled(schema, gold, *, seed):
    """The schema, its table's name and 40 rows. Values lie close around the gold's own, so that a near miss shows."""
    dice = random.Random(f"{seed} {schema} {gold}")
    table = re.search(r"CREATE TABLE (\w+)", schema).group(1)
    kinds = re.findall(r"\w+ (TEXT|INTEGER)", schema)
    words = re.findall(r"'([^']*)'", gold) + dice.sample(WORDS, 3)
    numbers = [int(n) + step for n in re.findall(r"\b\d+\b", gold) for step in (-1, 0, 1)]
    numbers += dice.sample(range(1, 2000), 5)
    values = {"TEXT": words, "INTEGER": numbers}
    return schema, table, [tuple(dice.choice(values[kind]) for kind in kinds) for _ in range(40)]


def result(query, table):
    """The sorted rows of a query that only reads the table; None for any other, and for one that is no query at all."""
    schema, name, rows = table
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(schema)
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        for limit, value in LIMITS.items():
            connection.setlimit(limit, value)
        connection.set_authorizer(only_reading(name))
        connection.set_progress_handler(lambda: 1, STEPS)
        return sorted(connection.execute(query).fetchmany(1000), key=repr)
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        return None
    finally:
        connection.close()


def only_reading(table):
    """SQLite's own gate, asked while a query is prepared: SELECT, columns of this table, a few functions."""

    def gate(action, first, second, *_):
        ok = (
            action == sqlite3.SQLITE_SELECT
            or (action == sqlite3.SQLITE_READ and first == table)
            or (action == sqlite3.SQLITE_FUNCTION and second in FUNCTIONS)
        )
        return sqlite3.SQLITE_OK if ok else sqlite3.SQLITE_DENY

    return gate
