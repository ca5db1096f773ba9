"""The shipped kinds end clean: nothing the audit knows is paid, no honest answer it knows is refused.

`code` is audited through the example (tests/examples/test_audit_sorting.py), `formal` by two tricks.
"""

import pytest

from verigrad import audit


@pytest.mark.parametrize("kind", ["number", "math", "choice", "blank", "schema", "pattern", "logic"])
def test_a_shipped_kind_is_clean(kind):
    found = audit(kind, n=4)
    assert found.clean, (found.exploits, found.findings)
    assert found.attacks > 250
    assert found.refusals == ()


def test_formal_is_clean_of_gaps_and_other_statements():
    found = audit("formal", n=1, only=["gap", "another statement"])
    assert found.clean, (found.exploits, found.findings)
    assert found.right == {"formal": (2, 0)}
