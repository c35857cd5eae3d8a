"""A corpus brought into a budget: what matters most for a question, in full or in part."""
