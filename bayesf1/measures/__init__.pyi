"""The public names of this room, each with the module that has it."""

from .agreement import (
    alpha_posterior as alpha_posterior,
    coincidence_matrix as coincidence_matrix,
    krippendorff_alpha as krippendorff_alpha,
)
from .clustering import (
    PairScores as PairScores,
    PurityScores as PurityScores,
    pair_scores as pair_scores,
    purity_scores as purity_scores,
    soft_pair_scores as soft_pair_scores,
    soft_purity_scores as soft_purity_scores,
)
from .corpus import chrf as chrf, corpus_bleu as corpus_bleu, ter as ter, wer as wer
from .curves import (
    Curve as Curve,
    pr_ap as pr_ap,
    pr_curve as pr_curve,
    roc_auc as roc_auc,
    roc_curve as roc_curve,
)
from .ranked import (
    average_precision as average_precision,
    cg as cg,
    dcg as dcg,
    err as err,
    grade_probability as grade_probability,
    mean_average_precision as mean_average_precision,
    mean_reciprocal_rank as mean_reciprocal_rank,
    ndcg as ndcg,
    pfound as pfound,
    precision_at_k as precision_at_k,
    reciprocal_rank as reciprocal_rank,
)
