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
    found = make.answers(only)
    for reason in found.skipped.values():
        pytest.skip(reason)
    golden = {
        key: entry for key, entry in make.kept().items() if key.startswith(only) and "/samples/" not in key
    }
    assert golden
    assert not found.errors
    assert list(make.differences(golden, found.entries)) == []


@pytest.mark.parametrize(("moved", "code"), [(0.0, 0), (1e-6, 1)])
def test_the_check_fails_if_a_number_changed(moved, code, monkeypatch):
    entries = make.kept()
    key = "ev/few counts/compare: precision/p"
    rule, values, *scale = entries[key]
    entries[key] = [rule, [values[0] + moved, *values[1:]], *scale]
    monkeypatch.setattr(make, "kept", lambda: entries)
    monkeypatch.setattr("sys.argv", ["make.py", "--check", "--only", "ev/few counts/compare"])
    assert make.main() == code
