"""Context policies: how what a participant sees is brought into its window."""
