"""The command line: `orchestrator-context distill` and `orchestrator-context count`."""

from orchestrator_context.cli.app import app

__all__ = ["app"]
