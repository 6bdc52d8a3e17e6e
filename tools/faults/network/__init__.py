"""What byte_cuts and hostile are made of: real servers with accounts by the thousand, devices of them, the proxy that cuts,
and the servers that lie."""
