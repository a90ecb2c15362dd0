from . import stats as stats
from ._version import __version__ as __version__
from .learners.gradient.estimators import GradientBoostClassifier as GradientBoostClassifier
from .learners.gradient.estimators import GradientBoostRegressor as GradientBoostRegressor
from .learners.greedy.adaboost import AdaBoostClassifier as AdaBoostClassifier
from .learners.greedy.adaboost_reg import AdaBoostRegClassifier as AdaBoostRegClassifier
from .learners.greedy.cbboost import CBBoostClassifier as CBBoostClassifier
from .learners.greedy.cbboost import GBCBBoostClassifier as GBCBBoostClassifier
from .learners.greedy.ebboost import EBBoostClassifier as EBBoostClassifier
from .learners.greedy.hedge import HedgeBoostClassifier as HedgeBoostClassifier
from .learners.greedy.quadboost import QuadBoostClassifier as QuadBoostClassifier
from .learners.programs.cqboost import CqBoostClassifier as CqBoostClassifier
from .learners.programs.lp_reg import (
    RegularizedLPBoostClassifier as RegularizedLPBoostClassifier,
)
from .learners.programs.lpboost import LPBoostClassifier as LPBoostClassifier
from .learners.programs.mincq import MinCqClassifier as MinCqClassifier
from .learners.programs.qp_reg import (
    RegularizedQPBoostClassifier as RegularizedQPBoostClassifier,
)
from .reproduction import reproduce as reproduce
from .results import Results as Results
from .results import load_results as load_results
from .voters.stumps import Stumps as Stumps
