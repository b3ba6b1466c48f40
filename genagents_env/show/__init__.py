"""Shows a single run: its pictures and films, its page, its events as text."""
