"""What goes on beside an episode, on a thread of its own."""

import threading


class Beside:
    """Runs `live` until `is_over`. What it raises is raised by `stop`."""

    def __init__(self):
        self.failure = None
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        try:
            self.live()
        except Exception as failure:  # The episode reports it.
            self.failure = failure

    def stop(self):
        """Waits for its end. Raises what went wrong."""
        self.is_over.set()
        if self.thread.ident:
            self.thread.join()
        if self.failure:
            raise self.failure
