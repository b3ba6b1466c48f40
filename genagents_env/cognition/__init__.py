"""What minds that ask a model share: thoughts as data, asking them, prompts to a budget."""
