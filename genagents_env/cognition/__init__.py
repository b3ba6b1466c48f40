"""What minds that ask a model share: queries as data, their scheduler, prompts within a budget."""
