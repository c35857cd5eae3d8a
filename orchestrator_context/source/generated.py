"""What a path says about who wrote a file: a person or a program."""

from __future__ import annotations

import re
from typing import Final

from orchestrator_context import checks

# Patterns for the lower-case path with "/" between its parts and one at the front. `vendor`, `dist`
# and `target` are words that people name their own folders with, so these need a second sign.
_GENERATED: Final = re.compile(
    r"""(?x)
    /(?: node_modules | bower_components | jspm_packages | site-packages | third[_-]party
       | __pycache__ | __generated__ | __snapshots__ | generated | \.git | \.venv | \.tox | \.nox
       | \.eggs | \.mypy_cache | \.ruff_cache | \.pytest_cache | \.next | \.nuxt | \.svelte-kit
       | \.gradle | \.terraform | \.yarn | \.dart_tool | carthage | [^/]+\.egg-info
       | [^/]+\.dist-info )/
    | ^/vendor/
    | /vendor/ (?: [^/]+\.[a-z]{2,}/ | bundle/ | composer/ | autoload\.php$ )
    | /target/ (?: debug | release | classes | generated-sources | surefire-reports )/
    | ^/pods/
    | /(?: dist | build )/ .* \.(?: js | css | map | html )$
    | [.-]min\.(?: js | mjs | cjs | css )$
    | \.(?: bundle | chunk )\.(?: js | css )$
    | \.(?: js | mjs | cjs | css | ts )\.map$
    | _pb2(?:_grpc)?\.pyi? $
    | \.pb (?:\.gw)? \.(?: go | cc | h | swift | dart )$ | \.pb(?:enum|json|server|grpc)\.dart$
    | _(?:grpc_)?pb\.(?: js | ts | d\.ts | rb )$
    | (?: _generated | \.generated | \.gen ) \.[a-z]+$
    | /zz_generated[._][^/]*$
    | \.(?: g | freezed | gr )\.dart$
    | \.(?: designer | g | g\.i )\.(?: cs | vb )$
    | \.snap$
    | /(?: package-lock\.json | npm-shrinkwrap\.json | pnpm-lock\.yaml | bun\.lockb? | deno\.lock
         | (?: yarn | cargo | poetry | pipfile | uv | pdm | pixi | composer | gemfile | flake | mix
             | pubspec | podfile | conan ) \.lock | pylock\.toml
         | packages\.lock\.json | paket\.lock | gradle\.lockfile | \.terraform\.lock\.hcl
         | package\.resolved | cartfile\.resolved | go\.sum | go\.work\.sum )$
    """
)


def is_generated_path(path: str) -> bool:
    """Return whether `path` looks vendored, minified, locked or generated: not written by hand.

    A guess from the name alone, whatever its case; the file is not opened. The patterns rather
    miss a file than take one that a person wrote: `shop/vendor/models.py` and `dist/notes.md` are
    not generated, `vendor/github.com/x/y.go` and `dist/app.js` are.
    """
    parts = checks.text("path", path).replace("\\", "/").lower().split("/")
    return (
        _GENERATED.search("/" + "/".join(part for part in parts if part not in ("", ".")))
        is not None
    )
