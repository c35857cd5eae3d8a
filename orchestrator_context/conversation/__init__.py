"""What each participant of a conversation sees, and how it is kept inside a window."""
