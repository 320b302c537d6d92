# The public names of studies; `__init__.py` reads this list. `crake` has learning curves and tree stability.

from crake.evaluation.studies.learning_curve import LearningCurve as LearningCurve
from crake.evaluation.studies.learning_curve import complexity_curve as complexity_curve
from crake.evaluation.studies.sweeps import Sweep as Sweep
from crake.evaluation.studies.sweeps import cost_sweep as cost_sweep
from crake.evaluation.studies.sweeps import cutoff_sweep as cutoff_sweep
from crake.evaluation.studies.sweeps import sweep as sweep
