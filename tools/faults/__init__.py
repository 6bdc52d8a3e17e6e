"""The parts of tools/torture: a module that has NAMES, the names of its parts, has `run(context)`, which runs
`context.part` and gives figures to be shown beside the usual ones."""
