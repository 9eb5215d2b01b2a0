"""What changed, and is the estimate consistent?"""

from steelyard import _jax as _jax

from ._changes import Change as Change
from ._changes import ChangeWatch as ChangeWatch
from ._changes import WatchfulBelief as WatchfulBelief
from ._changes import no_change as no_change
from ._jump_evidence import JumpEvidence as JumpEvidence
from ._jump_evidence import JumpScore as JumpScore
from ._jump_evidence import VectorJumpEvidence as VectorJumpEvidence
from ._jump_evidence import eliminate as eliminate
from ._jump_evidence import generalised_ratio as generalised_ratio
from ._jump_evidence import jump_evidence as jump_evidence
from ._jump_evidence import vector_jump_evidence as vector_jump_evidence
