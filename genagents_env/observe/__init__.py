"""What an agent perceives: the percept, as text, and as numbers."""
