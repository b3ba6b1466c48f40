"""What a sweep is: the experiment file, its conditions, and their trials."""
