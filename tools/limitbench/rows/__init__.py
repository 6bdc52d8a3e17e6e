"""The rows of the table by name. Each is a function of the context, and gives figures."""

from .activation import activation
from .answers import answer, inbox
from .command import command, status
from .drain import drain
from .exchange import exchange
from .first_sync import first_sync
from .history import growth, history
from .idle import idle
from .screen import screen
from .simulator import simulator
from .store import store
from .wire import behind_queue, webhook

ALL = {
    function.__name__.replace("_", "-"): function
    for function in (
        activation, command, status, history, growth, first_sync, drain, exchange, behind_queue, webhook, answer, inbox, idle, store,
        screen, simulator)
}
