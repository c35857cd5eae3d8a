from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.source import is_generated_path


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/react/index.js",
        "web/node_modules/a/b.ts",
        "C:\\app\\node_modules\\a.js",
        "static/jquery.min.js",
        "static/site-min.css",
        "static/app.js.map",
        "api/user_pb2.py",
        "api/user_pb2_grpc.py",
        "api/user_pb2.pyi",
        "api/user.pb.go",
        "api/user.pb.gw.go",
        "api/user.pb.cc",
        "lib/model.g.dart",
        "lib/model.freezed.dart",
        "Forms/Main.Designer.cs",
        "src/schema.generated.ts",
        "src/__generated__/types.ts",
        "pkg/zz_generated.deepcopy.go",
        "package-lock.json",
        "web/Package-Lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "Cargo.lock",
        "poetry.lock",
        "uv.lock",
        "go.sum",
        "vendor/github.com/pkg/errors/errors.go",
        "cmd/vendor/golang.org/x/net/http.go",
        "third_party/zlib/zlib.c",
        ".venv/lib/python3.12/site-packages/x/y.py",
        "target/debug/build/out.rs",
        "dist/app.js",
        "src/__snapshots__/app.test.tsx.snap",
        "./vendor/lib.php",
    ],
)
def test_generated(path: str) -> None:
    assert is_generated_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/main.py",
        "src/lock.py",
        "package.json",
        "admin.js",
        "src/min.js",
        "shop/vendor/models.py",
        "vendor.py",
        "dist/notes.md",
        "distill/run.py",
        "build/make.py",
        "src/target/aim.py",
        "src/generated.py",
        "generators/make.py",
        "src/pb2.py",
        "docs/node_modules.md",
        "my_node_modules/a.js",
        "map.js",
        "snap.py",
        "deadlock.py",
        "notes.lock",
        "",
    ],
)
def test_written_by_hand(path: str) -> None:
    assert not is_generated_path(path)


@given(st.text(max_size=40))
def test_every_path_has_an_answer(path: str) -> None:
    assert is_generated_path(path) in (True, False)
    assert is_generated_path(f"node_modules/{path}x")
