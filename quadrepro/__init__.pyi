from . import stats as stats
from ._version import __version__ as __version__
from .api import RankedScores as RankedScores
from .api import rank as rank
from .api import reproduce as reproduce
from .core.estimators.gradient import GradientBoostClassifier as GradientBoostClassifier
from .core.estimators.gradient import GradientBoostRegressor as GradientBoostRegressor
from .core.estimators.greedy import AdaBoostClassifier as AdaBoostClassifier
from .core.estimators.greedy import AdaBoostRegClassifier as AdaBoostRegClassifier
from .core.estimators.greedy import CBBoostClassifier as CBBoostClassifier
from .core.estimators.greedy import EBBoostClassifier as EBBoostClassifier
from .core.estimators.greedy import GBCBBoostClassifier as GBCBBoostClassifier
from .core.estimators.greedy import HedgeBoostClassifier as HedgeBoostClassifier
from .core.estimators.greedy import QuadBoostClassifier as QuadBoostClassifier
from .core.estimators.programs import CqBoostClassifier as CqBoostClassifier
from .core.estimators.programs import LPBoostClassifier as LPBoostClassifier
from .core.estimators.programs import MinCqClassifier as MinCqClassifier
from .core.estimators.programs import (
    RegularizedLPBoostClassifier as RegularizedLPBoostClassifier,
)
from .core.estimators.programs import (
    RegularizedQPBoostClassifier as RegularizedQPBoostClassifier,
)
from .core.estimators.stagewise import AdaBoostM1Classifier as AdaBoostM1Classifier
from .core.estimators.stagewise import GentleAdaBoostClassifier as GentleAdaBoostClassifier
from .core.estimators.stagewise import LogitBoostClassifier as LogitBoostClassifier
from .core.estimators.stagewise import RealAdaBoostClassifier as RealAdaBoostClassifier
from .core.estimators.stagewise import SAMMEClassifier as SAMMEClassifier
from .core.voters.stumps import Stumps as Stumps
from .results.results import Results as Results
from .results.results import load_results as load_results
