from pathlib import Path

import numpy as np
import pytest

import bayesf1 as bf

DATA = Path(__file__).parents[1] / "data"
# Derczynski et al. (2017), Results of the WNUT2017 shared task, Table 3, F1 (entity); tp, fp and fn were counted
# in the systems' outputs.
PUBLISHED = {
    "UH-RiTUAL": (41.86, (355, 262, 724)),
    "SpinningBytes": (40.78, (388, 436, 691)),
    "SJTU-Adapt": (40.42, (365, 362, 714)),
    "Arcada": (39.98, (373, 414, 706)),
    "FLYTXT": (38.35, (345, 375, 734)),
    "MIC-CIS": (37.06, (365, 526, 714)),
    "Drexel-CCI": (26.30, (192, 189, 887)),
}

GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"], ["B-ORG", "O", "B-PER"], ["O", "O", "O"]]
A = [["B-PER", "I-PER", "O"], ["O", "O", "O"], ["B-ORG", "O", "O"], ["O", "O", "O"]]
B = [["B-PER", "O", "O"], ["O", "B-LOC", "O"], ["B-ORG", "O", "B-PER"], ["O", "O", "B-LOC"]]


@pytest.fixture
def ev():
    return bf.from_tags(GOLD, {"A": A, "B": B})


def test_sentences_are_units_and_totals_are_conllevals(ev):
    assert ev.unit == "sentence"
    assert ev.assumption == "clustered"
    np.testing.assert_array_equal(ev.tables, [[2, 0, 2], [3, 2, 1]])


def test_spans_are_kept_as_items_beside_the_sentences(ev):
    assert ev.items.unit == "item"
    np.testing.assert_array_equal(ev.items.tables, ev.tables)
    assert ev.items.weights.sum() == 6


def test_documents_can_be_the_units():
    ev = bf.from_tags(GOLD, {"A": A, "B": B}, groups=["x", "x", "y", "y"])
    assert ev.unit == "document"
    assert ev.weights.sum() == 2
    np.testing.assert_array_equal(ev.tables, [[2, 0, 2], [3, 2, 1]])


def test_types_restrict_the_evaluation():
    np.testing.assert_array_equal(
        bf.from_tags(GOLD, {"A": A, "B": B}, types=["PER"]).tables, [[1, 0, 1], [1, 1, 1]]
    )


def test_shards_add_up_to_the_whole(ev):
    parts = [bf.from_tags(GOLD[i : i + 2], {"A": A[i : i + 2], "B": B[i : i + 2]}) for i in (0, 2)]
    assert sum(parts) == ev


def test_selecting_models_keeps_their_tables_and_items(ev):
    swapped = ev.select(["B", "A"])
    np.testing.assert_array_equal(swapped.tables, ev.tables[::-1])
    np.testing.assert_array_equal(swapped.items.tables, ev.items.tables[::-1])


def test_groups_of_another_length_are_refused():
    with pytest.raises(ValueError, match=r"groups have shape \(2,\), but there are 4 sentences"):
        bf.from_tags(GOLD, {"A": A}, groups=[0, 1])


def write(folder, name, sentences, first=""):
    text = first + "\n\n".join("\n".join(f"w{i}\t{t}" for i, t in enumerate(s)) for s in sentences)
    path = folder / name
    path.write_text(text + "\n", encoding="utf-8")
    return path


def test_column_files_give_what_their_tags_give(tmp_path, ev):
    gold, a, b = (write(tmp_path, name, tags) for name, tags in (("g", GOLD), ("a", A), ("b", B)))
    assert bf.from_conll(gold, {"A": a, "B": b}) == ev


def test_gold_and_prediction_may_stand_in_one_file(tmp_path, ev):
    both = {}
    for name, tags in (("A", A), ("B", B)):
        rows = ([f"{g}\t{t}" for g, t in zip(gs, ts, strict=True)] for gs, ts in zip(GOLD, tags, strict=True))
        both[name] = write(tmp_path, name, list(rows))
    assert bf.from_conll(None, both) == ev


def test_documents_of_a_column_file_become_units_on_request(tmp_path):
    start = "-DOCSTART-\tO\n\n"
    text = [[*GOLD[:2]], [*GOLD[2:]]]
    paths = {}
    for name, tags in (("g", GOLD), ("A", A)):
        parts = [
            write(tmp_path, f"{name}{i}", tags[2 * i : 2 * i + 2], start).read_text()
            for i in range(len(text))
        ]
        paths[name] = tmp_path / name
        paths[name].write_text("\n".join(parts))
    ev = bf.from_conll(paths["g"], {"A": paths["A"]}, unit="document")
    assert (ev.unit, ev.weights.sum()) == ("document", 2)


def test_a_file_without_documents_has_none_to_make_units_of(tmp_path):
    gold = write(tmp_path, "g", GOLD)
    with pytest.raises(ValueError, match="single document, as it has no -DOCSTART- lines"):
        bf.from_conll(gold, {"A": gold}, unit="document")


def test_a_tag_outside_the_scheme_is_named_with_file_and_line(tmp_path):
    gold = write(tmp_path, "gold.conll", GOLD)
    odd = write(tmp_path, "odd.conll", [*A[:2], ["E-ORG", "O", "O"], A[3]])
    with pytest.raises(ValueError, match=r"odd\.conll, line 9, has tag 'E-ORG', which is outside IOB2"):
        bf.from_conll(gold, {"odd": odd})


def test_an_unknown_unit_gets_the_nearest_name(tmp_path):
    with pytest.raises(ValueError, match="unknown unit 'documents'; did you mean 'document'"):
        bf.from_conll("g", {"A": "a"}, unit="documents")


@pytest.mark.parametrize("name", PUBLISHED)
def test_packaged_wnut17_reproduces_the_published_f1(name):
    ev = bf.load_example("wnut17")
    f1, counts = PUBLISHED[name]
    assert 100 * bf.score(ev, name) == pytest.approx(f1, abs=0.005)
    assert tuple(ev.table(name)) == counts


def test_whole_files_give_the_counts_of_seqeval_type_by_type():
    with pytest.warns(UserWarning, match="spells 1 of its tokens differently"):
        ev = bf.from_conll(
            DATA / "gold.conll", {name: DATA / f"{name}.conll" for name in ("crf", "bert")}, by_type=True
        )
    assert (ev.unit, ev.weights.sum()) == ("sentence", 12)
    # F1 of LOC, MISC, ORG and PER, from the spans that seqeval's get_entities finds.
    expected = {"crf": (8 / 13, 0, 2 / 6, 8 / 10), "bert": (1, 0, 8 / 10, 10 / 11)}
    for name, values in expected.items():
        scores = [bf.score(ev, name, f"f1[{label}]") for label in ("LOC", "MISC", "ORG", "PER")]
        assert scores == pytest.approx(values)


def test_the_winner_of_wnut17_cannot_be_told_from_three_others():
    ranking = bf.rank(bf.load_example("wnut17"), rng=0, n_draws=10_000)
    assert ranking.system.values[ranking.tied.values].tolist() == [*PUBLISHED][:4]
    assert 0.6 < float(ranking.p_best[0]) < 0.75
