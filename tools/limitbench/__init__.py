"""What `tools/bench` measures with: the rows of its table, the limit programs beside them, and its plots."""
