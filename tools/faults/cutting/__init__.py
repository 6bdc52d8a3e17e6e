"""What byte_cuts is made of: the proxy that cuts, accounts by the thousand, devices, and the visits that hurt them."""
