"""Training: tasks and towns to learn in, wrappers for frameworks, language models as learners."""
