"""What `tools/bench-server` measures a server with: accounts, clients, a receiver of messages, and the scenarios."""
