"""The building blocks of byte_cuts and hostile: real servers with thousands of accounts, their devices, the proxy that cuts, and
the servers that lie."""
