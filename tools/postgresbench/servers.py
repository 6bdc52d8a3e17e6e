"""Processes of the server on one database."""

import contextlib
import os
import tempfile

from serverbench.server import Server


@contextlib.contextmanager
def servers(context, database, count=1):
    """So many server processes on a database of the cluster. Ended by their ids."""
    binary = os.path.join(context.binaries, "lifesignal-server")
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        yield [
            stack.enter_context(Server(binary, folder, database=context.cluster.url(database))) for _ in range(count)
        ]
