"""The page of a run: what it shows as data, a server on loopback, and the page as one file."""
