from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.source.language import LANGUAGES, detect_language, is_generated_path


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("src/pkg/a.pyi", "python"),
        ("A.PY", "python"),
        ("C:\\work\\Main.JAVA", "java"),
        ("web/app.component.tsx", "typescript"),
        ("x.test.js", "javascript"),
        ("main.rs", "rust"),
        ("main.go", "go"),
        ("a.cc", "cpp"),
        ("a.C", "c"),
        ("README.md", "markdown"),
        ("docs/index.rst", "restructuredtext"),
        ("Makefile", "makefile"),
        ("sub/GNUmakefile", "makefile"),
        ("Makefile.linux", "makefile"),
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("dev.dockerfile", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("Gemfile", "ruby"),
        (".bashrc", "shell"),
        (".env", "shell"),
        ("Cargo.lock", "toml"),
        ("data.jsonl", "jsonlines"),
        ("config.yml", "yaml"),
    ],
)
def test_a_name_tells_the_language(path: str, language: str) -> None:
    assert detect_language(path) == language
    assert language in LANGUAGES


@pytest.mark.parametrize(
    "path",
    [
        "a.h",
        "notes.txt",
        "a.m",
        "a.v",
        "run.log",
        "LICENSE",
        "",
        "dir.py/",
        ".py",
        "a.",
        "py",
        "x.py/LICENSE",
    ],
)
def test_an_ambiguous_name_tells_nothing(path: str) -> None:
    assert detect_language(path) is None


def test_many_languages_are_known() -> None:
    assert len(LANGUAGES) >= 40


@given(st.text(max_size=40))
def test_every_path_has_an_answer_in_any_case(path: str) -> None:
    assert detect_language(path) in LANGUAGES | {None}
    assert detect_language(f"dir/{path}x.PY") == "python"
    assert is_generated_path(path) in (True, False)


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
