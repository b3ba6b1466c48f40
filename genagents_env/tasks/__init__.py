"""Tasks to train on: towns, people and goals that are drawn from a seed."""
