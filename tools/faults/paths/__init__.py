"""Network namespaces with an emulated link between them, for the real programs."""
