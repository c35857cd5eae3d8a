"""The command line: `orchestrator-context distill`, `select`, `plan` and `count`."""

from orchestrator_context.cli.app import app

__all__ = ["app"]
