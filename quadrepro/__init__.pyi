from . import stats as stats
from ._version import __version__ as __version__
from .learners.gradient.classifier import GradientBoostClassifier as GradientBoostClassifier
from .learners.gradient.regressor import GradientBoostRegressor as GradientBoostRegressor
from .learners.greedy.estimators import AdaBoostClassifier as AdaBoostClassifier
from .learners.greedy.estimators import AdaBoostRegClassifier as AdaBoostRegClassifier
from .learners.greedy.estimators import EBBoostClassifier as EBBoostClassifier
from .learners.greedy.estimators import HedgeBoostClassifier as HedgeBoostClassifier
from .learners.greedy.gram_estimators import CBBoostClassifier as CBBoostClassifier
from .learners.greedy.gram_estimators import GBCBBoostClassifier as GBCBBoostClassifier
from .learners.greedy.gram_estimators import QuadBoostClassifier as QuadBoostClassifier
from .learners.programs.estimators import CqBoostClassifier as CqBoostClassifier
from .learners.programs.estimators import LPBoostClassifier as LPBoostClassifier
from .learners.programs.estimators import MinCqClassifier as MinCqClassifier
from .learners.programs.estimators import (
    RegularizedLPBoostClassifier as RegularizedLPBoostClassifier,
)
from .learners.programs.estimators import (
    RegularizedQPBoostClassifier as RegularizedQPBoostClassifier,
)
from .ranking import RankedScores as RankedScores
from .ranking import rank as rank
from .reproduction import reproduce as reproduce
from .results import Results as Results
from .results import load_results as load_results
from .voters.classifiers import Classifiers as Classifiers
from .voters.conjunctions import Conjunctions as Conjunctions
from .voters.drawn import DrawnStumps as DrawnStumps
from .voters.stumps import Stumps as Stumps
from .voters.trees import Trees as Trees
