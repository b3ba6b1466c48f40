"""The shipped policies. A simple one is a file; a mind is a folder. Load by `load_policy`."""
