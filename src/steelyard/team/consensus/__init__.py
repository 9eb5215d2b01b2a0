"""Which value does a team agree on by messages between neighbours?

`TreeSum` gives every robot the exact sum over the team; `next_flow` is one round of averaging that survives lost
messages.
"""

from ._flow import FlowMessage as FlowMessage
from ._flow import next_flow as next_flow
from ._tree_sums import TreeMessage as TreeMessage
from ._tree_sums import TreeSum as TreeSum
