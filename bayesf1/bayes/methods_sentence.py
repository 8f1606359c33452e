"""How an answer was found, in a sentence or two for a paper's section on methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesf1.base.naming import joined
from bayesf1.base.references import version
from bayesf1.base.table import printable
from bayesf1.bayes.rope import Rope
from bayesf1.bayes.verdict import by_method, headline

if TYPE_CHECKING:
    from bayesf1.bayes.comparison import Comparison
    from bayesf1.bayes.ranking import Ranking


def of_comparison(comparisons: tuple[Comparison, ...], notes: tuple[str, ...]) -> str:
    """Return how models were compared: prior, discount, assumption, computation, version, citation."""
    c = headline(comparisons)
    measures = joined(one.label for one in comparisons)
    compared = f"{c.model_b} was compared with {c.model_a} on {measures}"
    tested = f"{compared} by {c.ev.kind.citation}, as implemented in {version()}"
    sampled = c.under.in_methods(c.measure)
    if c.ev.kind.citation.startswith("the Bayesian bootstrap"):
        # It was cited in full already.
        sampled = sampled.replace("taken as units by a Bayesian bootstrap (Rubin 1981)", "taken as units")
    parts = [f"{tested}, with {_article(c.ev.kind.describe_prior(c.prior))}", sampled]
    if c.under.retraining is not None:
        parts[0] = f"{compared}, {c.under.scope}, with {version()}"
    elif c.folds is not None:
        rule = c.folds.rule if isinstance(c.folds.rule, str) else "given"
        parts.append(
            f"counts of the {c.folds.cv} were discounted by k = {c.folds.k:.4f} (rule {rule}), and the "
            "conclusions concern the models fitted in these folds"
        )
    parts.append(_computed(comparisons))
    if c.region:
        region = c.region.words(percent=c.measure.percent)
        parts.append(
            f"differences within {region} were counted as practically none"
            if c.region.symmetric
            else f"models were counted as practically equivalent where {c.model_b} is ahead by {region}"
        )
    parts.append(f"a model was called better if that had a probability of at least {c.threshold:.4g}")
    intervals = f"Intervals are {100 * c.prob:.4g} % equal-tailed credible intervals."
    limits = " ".join(note for note in notes if not note.startswith("Paired item by item"))
    return printable(f"{'; '.join(parts)}. {intervals} {limits}".rstrip())


def _computed(comparisons: tuple[Comparison, ...]) -> str:
    """Return how each measure's probabilities were computed."""
    ways, said = by_method(comparisons), []
    for method, found in ways.items():
        error, draws = max(float(c.mcse) for c in found), max(c.n_draws for c in found)
        how = {
            "exact": "were computed by numerical quadrature, without sampling"
            if found[0].under.retraining is None
            else "are those of this law",
            "quasi-montecarlo": f"were computed by a lattice rule (standard error {error:.1g})",
        }.get(method, f"rest on {draws:,} posterior draws (standard error {error:.1g})")
        some = f" of {joined(c.label for c in found)}" if len(ways) > 1 else ""
        said.append(f"probabilities{some} {how}")
    return "; ".join(said)


def of_ranking(ranking: Ranking) -> str:
    """Return how models were ranked: prior, assumption, draws, version."""
    attrs = ranking.attrs
    margin = Rope.of(attrs["rope"]).beyond(percent=bool(attrs["percent"]))
    return printable(
        f"The {ranking.sizes['system']} systems were ranked by {attrs['label']} from {attrs['n_draws']:,} joint posterior "
        f"draws with {version()}, with {_article(attrs['belief'])}; {attrs['dependence']}. "
        f"A system counts as tied with the first unless the first is better{margin} with probability "
        f"{attrs['threshold']:g} or more. Posteriors of the scores are those of {attrs['citation']}. "
        f"{' '.join(attrs['notes'])}".rstrip()
    )


def _article(prior: str) -> str:
    return "no prior" if prior == "No prior" else f"a {prior}"
