"""The parts of tools/torture. A module with NAMES, the names of its parts, has `run(context)`, which runs `context.part` and
returns figures for the report."""
