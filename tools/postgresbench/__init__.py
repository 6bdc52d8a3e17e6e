"""What `tools/bench-postgres` measures servers on PostgreSQL with: a cluster on disk, loads, peers and the scenarios."""
