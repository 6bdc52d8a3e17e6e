"""The scenarios by name. Each is a function of the options and the cluster, and gives lines of (what, figure, ratio)."""

from .accept import accept
from .deliveries import queue
from .keepup import keepup
from .latency import latency
from .snapshot import snapshot
from .two import two

ALL = {function.__name__: function for function in (accept, queue, keepup, latency, snapshot, two)}
