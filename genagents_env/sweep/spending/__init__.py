"""What a sweep may spend: one till for all its workers, and the lines by which they ask it."""
