from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_package_is_shipped() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    shipped = {_folder(package, config["package-dir"]) for package in config["packages"]}
    tops = ("orchestrator_context", "policies", "providers")
    found = {init.parent for top in tops for init in (ROOT / top).rglob("__init__.py")}
    assert shipped == found


def _folder(package: str, package_dir: dict[str, str]) -> Path:
    for name, folder in package_dir.items():
        package = package.replace(name, folder)
    return ROOT.joinpath(*package.split("."))
