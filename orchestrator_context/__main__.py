"""`python -m orchestrator_context` does what the command `orchestrator-context` does."""

from orchestrator_context.cli import app

if __name__ == "__main__":
    app(prog_name="orchestrator-context")
