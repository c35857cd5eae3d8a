"""A summary made of the sentences that matter, without a model."""
