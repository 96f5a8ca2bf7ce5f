"""Structure metrics: the PRISM paper's Figs. 3 and 4, its claims of invariance, and three independent computations
(trying every substring, the plain definition, scikit-learn)."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rehabcount.bench import plain_tss
from rehabcount.metrics import structure
from rehabcount.metrics.matching import runs
from tests.metrics import oracles

# Fig. 3: six frames, A twice with B between; three clusterings.
FIG3_G = ["A", "A", "B", "B", "A", "A"]
FIG3_C1 = ["X", "X", "Y", "Y", "X", "X"]
FIG3_C2 = ["X", "X", "Y", "Y", "Z", "Z"]
FIG3_C3 = ["X", "Z", "Y", "Y", "X", "Z"]
# Fig. 4: A covers frames 0-1 and 4-6; C shows (X, X) in the one and (X, Z, Z) in the other.
FIG4_G = [0, 0, 1, 1, 0, 0, 0]
FIG4_C = [0, 0, 1, 1, 0, 2, 2]


@st.composite
def clusterings(draw: st.DrawFn, longest: int = 20, labels: int = 3) -> tuple[list[int], list[int]]:
    length = draw(st.integers(1, longest))
    frames = st.lists(st.integers(0, labels), min_size=length, max_size=length)
    return draw(frames), draw(frames)


def all_scores(result: structure.StructureResult) -> dict[str, float]:
    names = ["lass", "lass_o", "lass_u", "segmental_homogeneity", "segmental_completeness", "sss", "tss"]
    names += ["homogeneity", "completeness", "nmi", "ari", "munkres"]
    return {"rss": result.rss, **{name: getattr(result, name)() for name in names}}


def test_the_papers_procedure_and_weights() -> None:
    frames = list("AAABBBCCCAAB")
    assert plain_tss.tokens_and_weights(frames) == (list("ABCAB"), [3, 3, 3, 2, 1])  # type: ignore[arg-type,comparison-overlap]
    spans = runs(frames)
    assert (spans.labels.tolist(), (spans.ends - spans.starts).tolist()) == (list("ABCAB"), [3, 3, 3, 2, 1])


def test_figure_3_only_the_new_scores_tell_c2_from_c3() -> None:
    one, two, three = (structure.evaluate(FIG3_G, c) for c in (FIG3_C1, FIG3_C2, FIG3_C3))
    assert all(result.homogeneity() == pytest.approx(1) for result in (one, two, three))
    for old in ("homogeneity", "completeness", "nmi", "ari", "munkres"):
        assert getattr(two, old)() == pytest.approx(getattr(three, old)())
    assert one.rss == three.rss == 1 > two.rss  # C2 misses that A is repeated
    assert one.lass() == two.lass() == 1 > three.lass()  # C3 has too many segments
    # C2 by hand: A's pairs with themselves 4 + 4, across 0; B 4; of 2 * (2 * 4 + 1 * 2) = 20.
    assert two.rss == pytest.approx(12 / 20)


def test_figure_4_scores_three_for_the_pair() -> None:
    assert oracles.heaviest_common([("X", 2)], [("X", 1), ("Z", 2)], contiguous=False) == 3
    assert plain_tss.heaviest_common_substring([0], [2], [0, 2], [1, 2]) == 3
    token, weight, starts = np.array([0, 0, 2]), np.array([2, 1, 2]), np.array([0, 1])
    with_themselves = 2 * 2 + 2 * 3
    for common in ("substring", "subsequence"):
        assert structure.common_weight(token, weight, starts, common) == with_themselves + 2 * 3
    # A: 4 + 6 + 2 * 3 = 16 of 2 * 2 * 5; B: 4 of 2 * 1 * 2.
    assert structure.evaluate(FIG4_G, FIG4_C).rss == pytest.approx(20 / 24)


@settings(max_examples=150, deadline=None)
@given(clusterings(longest=12), st.booleans(), st.booleans())
def test_rss_is_the_best_of_all_choices(pair: tuple[list[int], list[int]], contiguous: bool, prune: bool) -> None:
    result = structure.evaluate(*pair, common="substring" if contiguous else "subsequence", prune=prune)
    assert result.rss == pytest.approx(oracles.repeated_structure(*pair, contiguous=contiguous, prune=prune))


@settings(max_examples=150, deadline=None)
@given(clusterings(longest=60, labels=4))
def test_tss_is_the_plain_definition(pair: tuple[list[int], list[int]]) -> None:
    result = structure.evaluate(*pair)
    assert (result.rss, result.sss(), result.tss()) == pytest.approx(plain_tss.temporal_structure_score(*pair))


@settings(max_examples=60, deadline=None)
@given(clusterings(longest=12))
def test_the_plain_definition_is_the_best_of_all_choices(pair: tuple[list[int], list[int]]) -> None:
    assert plain_tss.repeated_structure_score(*pair) == pytest.approx(oracles.repeated_structure(*pair))


@settings(max_examples=60, deadline=None)
@given(clusterings(longest=60, labels=4))
def test_loops_and_arrays_agree(pair: tuple[list[int], list[int]]) -> None:
    token, weight = np.array(pair[0]), np.array(pair[1])
    starts = np.flatnonzero(np.append(True, weight[1:] == 0))
    assert structure.common_weight_in_loops(token, weight, starts) == structure.common_weight(
        token, weight, starts, "substring"
    )


def test_compiled_loops_agree_with_the_plain_definition() -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(4)
    reference = np.repeat(rng.integers(0, 3, 400), rng.integers(1, 9, 400))
    estimate = np.where(rng.random(len(reference)) < 0.3, rng.integers(0, 3, len(reference)), reference)
    result = structure.evaluate(reference, estimate)
    assert structure._compiled_loops() is not None
    plain = plain_tss.temporal_structure_score(reference.tolist(), estimate.tolist())
    assert (result.rss, result.sss(), result.tss()) == pytest.approx(plain, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(clusterings(longest=30))
def test_classical_scores_are_those_of_scikit_learn(pair: tuple[list[int], list[int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")

    reference, estimate = pair
    result = structure.evaluate(reference, estimate)
    assert result.ari() == pytest.approx(metrics.adjusted_rand_score(reference, estimate))
    assert result.homogeneity() == pytest.approx(metrics.homogeneity_score(reference, estimate), abs=1e-9)
    assert result.completeness() == pytest.approx(metrics.completeness_score(reference, estimate), abs=1e-9)
    for averaging in ("geometric", "arithmetic"):
        theirs = metrics.normalized_mutual_info_score(reference, estimate, average_method=averaging)
        assert result.nmi(averaging) == pytest.approx(theirs, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(clusterings(longest=40))
def test_segment_scores_by_counting_frames(pair: tuple[list[int], list[int]]) -> None:
    g, c = pair
    s_g, s_c = plain_tss.segment_numbers(g), plain_tss.segment_numbers(c)

    def kept(lost: float, whole: float) -> float:
        return max(0.0, 1 - lost / whole) if whole > 1e-12 else 1.0

    over, under = plain_tss.conditional_entropy(s_c, s_g), plain_tss.conditional_entropy(s_g, s_c)
    h_over, h_under = plain_tss.entropy(s_c), plain_tss.entropy(s_g)
    result = structure.evaluate(g, c)
    assert result.lass() == pytest.approx(kept(over + under, h_over + h_under), abs=1e-9)
    assert result.lass_o() == pytest.approx(kept(over, h_over), abs=1e-9)
    assert result.lass_u() == pytest.approx(kept(under, h_under), abs=1e-9)
    assert result.segmental_completeness() == pytest.approx(
        kept(plain_tss.conditional_entropy(c, s_g), plain_tss.entropy(c)), abs=1e-9
    )
    assert result.segmental_homogeneity() == pytest.approx(
        kept(plain_tss.conditional_entropy(g, s_c), plain_tss.entropy(g)), abs=1e-9
    )


@settings(max_examples=60, deadline=None)
@given(clusterings(longest=15))
def test_munkres_is_the_best_of_all_namings(pair: tuple[list[int], list[int]]) -> None:
    g, c = pair
    best = max(sum(x == names[y] for x, y in zip(g, c, strict=True)) for names in itertools.permutations(range(4)))
    assert structure.evaluate(g, c).munkres() == pytest.approx(best / len(g))


def test_without_numba_the_numbers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    reference = np.repeat(rng.integers(0, 2, 400), 2)
    estimate = rng.integers(0, 3, len(reference))
    compiled = structure.evaluate(reference, estimate).rss
    monkeypatch.setattr(structure, "_compiled_loops", lambda: None)
    assert structure.evaluate(reference, estimate).rss == compiled


@given(clusterings())
def test_a_perfect_estimate_scores_one_under_any_names(pair: tuple[list[int], list[int]]) -> None:
    reference = pair[0]
    renamed = [{0: "q", 1: "b", 2: "z", 3: "a"}[label] for label in reference]
    for score in all_scores(structure.evaluate(reference, renamed)).values():
        assert score == pytest.approx(1)


@given(clusterings(), st.integers(2, 4), st.permutations([0, 1, 2, 3]))
def test_invariant_to_stretching_and_cluster_names(
    pair: tuple[list[int], list[int]], factor: int, names: list[int]
) -> None:
    reference, estimate = pair
    one = all_scores(structure.evaluate(reference, estimate))
    two = all_scores(
        structure.evaluate(np.repeat(reference, factor), np.repeat([names[label] for label in estimate], factor))
    )
    one.pop("ari"), two.pop("ari")  # its correction for chance depends on the number of frames
    assert one == pytest.approx(two, abs=1e-9)
    assert all(-1e-12 <= score <= 1 + 1e-12 for score in one.values())


@given(clusterings())
def test_symmetry(pair: tuple[list[int], list[int]]) -> None:
    one, two = structure.evaluate(*pair), structure.evaluate(*reversed(pair))
    for score in ("lass", "sss", "nmi", "ari", "munkres"):
        assert getattr(one, score)() == pytest.approx(getattr(two, score)())
    assert one.lass_o() == pytest.approx(two.lass_u())
    assert one.homogeneity() == pytest.approx(two.completeness())
    assert one.segmental_homogeneity() == pytest.approx(two.segmental_completeness())


def test_equal_overlaps_go_to_the_label_that_sorts_first() -> None:
    # Cluster 5 covers one frame of each label; it counts for label 0.
    result = structure.evaluate([0, 1], [5, 5])
    assert result.rss == pytest.approx((2 + 0) / 4)


def test_a_segment_may_run_across_sequences_unless_borders_are_kept() -> None:
    reference, estimate = [0, 0, 0, 0], [1, 1, 1, 1]
    joined = structure.evaluate(reference, estimate, sequence_lengths=[2, 2])
    kept = structure.evaluate(reference, estimate, sequence_lengths=[2, 2], borders="kept")
    assert joined.h_reference_segments == 0
    assert kept.h_reference_segments == pytest.approx(np.log(2))
    assert joined.tss() == kept.tss() == 1


def test_beta_moves_the_balance() -> None:
    result = structure.evaluate(FIG3_G, FIG3_C2)  # good segments, bad repetition
    assert result.rss < result.tss(1.0) < result.sss()
    assert result.tss(0.0) == pytest.approx(result.rss)
    assert result.tss(1e9) == pytest.approx(result.sss())
    assert structure.combine(0.0, 0.0) == 0


def test_beta_sensitivity_is_one_where_the_ranking_is_the_same() -> None:
    rss, sss = [0.9, 0.5, 0.1], [0.8, 0.7, 0.6]
    assert structure.beta_sensitivity(rss, sss, 5.0) == pytest.approx(1)
    # Two methods in the wrong order: (worse + better / log2(3)) / (better + worse / log2(3)).
    worth = structure.combine([0.2, 0.9], [0.9, 0.25], 1000.0)
    expected = (worth[1] + worth[0] / np.log2(3)) / (worth[0] + worth[1] / np.log2(3))
    assert structure.beta_sensitivity([0.2, 0.9], [0.9, 0.25], 1000.0) == pytest.approx(expected)
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    rss, sss = rng.random(9).tolist(), rng.random(9).tolist()
    for beta in (0.1, 3.0):
        worth, ranking = structure.combine(rss, sss, beta), structure.combine(rss, sss, 1.0)
        assert structure.beta_sensitivity(rss, sss, beta) == pytest.approx(metrics.ndcg_score([worth], [ranking]))
    assert structure.beta_sensitivity([0.0, 0.0], [0.0, 0.0], 2.0) == 1


@pytest.mark.parametrize(
    ("reference", "estimate", "said"),
    [([], [], "no frame"), ([1], [1, 2], "1 frames, estimate has 2"), ([1.5], [1], r"reference\[0\] is 1.5")],
)
def test_what_cannot_be_compared_is_refused(reference: list[float], estimate: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        structure.evaluate(reference, estimate)


@pytest.mark.parametrize("module", [oracles, plain_tss])
def test_oracles_owe_nothing_to_the_metrics(module: object) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not [name for name in imported if name and name.startswith(("rehabcount", "numpy", "rapidfuzz"))]
