"""Numbers in, numbers with their uncertainty out: intervals, paired tests, estimators over draws. numpy only.

Left out: what the numbers are of (acceptance says that), and any rule that turns them into a decision.
"""

from verigrad.statistics.estimators import best_of_n, best_of_n_kl, majority_at_k, pass_at_k, pass_hat_k
from verigrad.statistics.intervals import Mean, binomial_se, clustered_se, mean_interval, wilson
from verigrad.statistics.multiple import holm
from verigrad.statistics.paired import (
    Bootstrap,
    McNemar,
    PairedDifference,
    SignFlip,
    mcnemar,
    paired_bootstrap,
    paired_difference,
    sign_flip,
    unpaired_se,
)
from verigrad.statistics.student import SeedDifference, SeedMean, seed_difference, seed_mean, t_cdf, t_value

__all__ = [
    "Bootstrap",
    "McNemar",
    "Mean",
    "PairedDifference",
    "SeedDifference",
    "SeedMean",
    "SignFlip",
    "best_of_n",
    "best_of_n_kl",
    "binomial_se",
    "clustered_se",
    "holm",
    "majority_at_k",
    "mcnemar",
    "mean_interval",
    "paired_bootstrap",
    "paired_difference",
    "pass_at_k",
    "pass_hat_k",
    "seed_difference",
    "seed_mean",
    "sign_flip",
    "t_cdf",
    "t_value",
    "unpaired_se",
    "wilson",
]
