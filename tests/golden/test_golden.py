"""A part of the golden numbers, small enough for every run; ``python tests/golden/make.py --check`` looks at all."""

import make
import pytest

QUICK = (
    *(f"ev/{name}/compare" for name in ("few counts", "blocked folds", "wang-li-org")),
    *(f"ev/{name}/compare rope" for name in ("items", "documents", "scores", "wer", "runs", "label sets")),
    *("ev/counts/posterior", "ev/judged items/compare rope", "ev/classes/totals"),
    *("verb/monitor", "verb/fold", "verb/hierarchical", "file/ta", "file/trec"),
)


@pytest.mark.parametrize("only", QUICK)
def test_numbers_are_those_of_before(only):
    found, errors = make.answers(only)
    golden = {
        key: entry for key, entry in make.kept().items() if key.startswith(only) and "/samples/" not in key
    }
    assert golden
    assert not errors
    assert list(make.differences(golden, found)) == []
