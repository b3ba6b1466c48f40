"""What an agent perceives: the percept, the same in words, and the same as numbers."""
