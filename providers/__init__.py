"""Model services behind the protocols of the library."""
