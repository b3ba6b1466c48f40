"""What a sweep is: the experiment file, its conditions, and the trials they come to."""
