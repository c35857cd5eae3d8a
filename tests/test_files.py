from __future__ import annotations

import codecs
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orchestrator_context.corpus import select
from orchestrator_context.distill import distill, estimate_distill
from orchestrator_context.exceptions import ConfigurationError, ProviderRejectedError
from orchestrator_context.files import FileNotice, read_documents
from orchestrator_context.models import Budget
from orchestrator_context.providers.extractive import ExtractiveGenerator
from orchestrator_context.testing import ScriptedGenerator


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, with another one beside it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def put(root: Path, files: Iterable[str] | dict[str, str]) -> None:
    contents = files if isinstance(files, dict) else dict.fromkeys(files, "")
    for path, text in contents.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text or f"text of {path}\n", encoding="utf-8")


def paths(*named: str, **options: bool) -> list[str]:
    return [document.path for document in read_documents(named, **options)]  # type: ignore[arg-type]


def read(*named: str, **options: bool) -> tuple[list[str], dict[str, str]]:
    """The paths of the documents, and the notices by path."""
    notices: list[FileNotice] = []
    documents = read_documents(named, on_notice=notices.append, **options)  # type: ignore[arg-type]
    return [document.path for document in documents], {n.path: n.reason for n in notices}


def test_a_folder_is_read_in_the_order_of_its_names(here: Path) -> None:
    put(here, ["b.md", "a/z.py", "a/b/c.py", "a.py", "é/ü.txt"])
    assert paths(".") == ["a/b/c.py", "a/z.py", "a.py", "b.md", "é/ü.txt"]


def test_contents_are_kept_as_they_are(here: Path) -> None:
    (here / "a.txt").write_bytes("one\r\ntwo \0\r\n三\n".encode().replace(b"\0", b""))
    assert next(read_documents(["a.txt"])).content == "one\r\ntwo \r\n三\n"


@pytest.mark.parametrize("named", ["src", "./src", "src/", "src/../src", "{here}/src"])
def test_paths_are_as_seen_from_the_current_folder(here: Path, named: str) -> None:
    put(here, ["src/a.py", "src/b/c.py"])
    assert paths(named.format(here=here)) == ["src/a.py", "src/b/c.py"]


@pytest.mark.parametrize("named", ["../elsewhere", "{here}/../elsewhere", "../elsewhere/"])
def test_what_lies_elsewhere_is_named_from_its_folder(here: Path, named: str) -> None:
    put(here.parent / "elsewhere", ["a.py", "b/c.py"])
    assert paths(named.format(here=here)) == ["elsewhere/a.py", "elsewhere/b/c.py"]
    assert paths("../elsewhere/b/c.py") == ["c.py"]


def test_no_two_documents_have_one_path(here: Path) -> None:
    put(here, ["src/a.py", "a.py"])
    put(here.parent / "elsewhere", ["src/a.py", "a.py"])
    found = paths("src", "../elsewhere/src", "a.py", "../elsewhere/a.py", "../elsewhere/src/a.py")
    assert found == ["src/a.py", "elsewhere/src/a.py", "a.py", "elsewhere/a.py"]


def test_a_file_is_read_once_however_it_is_named(here: Path) -> None:
    put(here, ["src/a.py", "src/b.py"])
    (here / "link.py").symlink_to("src/a.py")
    assert paths("src/b.py", "src", "./src/a.py", f"{here}/src/a.py", "link.py", "src/*.py") == [
        "src/b.py",
        "src/a.py",
    ]


def test_documents_are_read_when_they_are_asked_for(here: Path) -> None:
    put(here, ["a.txt", "b.txt"])
    documents = read_documents(["."])
    assert next(documents).path == "a.txt"
    (here / "b.txt").write_text("later")
    assert next(documents).content == "later"


def test_files_are_read_once_and_a_second_time_is_an_error(here: Path) -> None:
    put(here, ["a.txt", "b.txt"])
    documents = read_documents(["."])
    for document in documents:
        assert document.path == "a.txt"
        break
    assert [document.path for document in documents] == ["b.txt"]
    assert next(documents, None) is None
    with pytest.raises(ConfigurationError, match="read before"):
        list(documents)
    with pytest.raises(ConfigurationError, match="read before"):
        select(documents, "text", budget=Budget(1_000))


@pytest.mark.anyio
async def test_an_estimate_or_a_failed_run_leaves_nothing_to_take_for_the_whole(here: Path) -> None:
    put(here, [f"{number}.txt" for number in range(40)])
    client = ScriptedGenerator(lambda call: ProviderRejectedError("no", provider="x", status=401))
    documents = read_documents(["."])
    assert (await estimate_distill(documents, "text", client=client)).documents == 40
    with pytest.raises(ConfigurationError, match="read before"):
        await distill(documents, "text", client=client)
    documents = read_documents(["."])
    with pytest.raises(ProviderRejectedError):
        await distill(documents, "text", client=client)
    with pytest.raises(ConfigurationError, match="read before"):
        await distill(documents, "text", client=ExtractiveGenerator())


def test_nothing_is_read_before_all_paths_were_found(here: Path) -> None:
    put(here, ["a.txt"])
    for missing in ("nope", "", "a.txt/x", "*.nope", "**/*.nope", "nope/**", "a.txt/**"):
        with pytest.raises(ConfigurationError) as error:
            read_documents(["a.txt", missing])
        assert repr(missing) in str(error.value)


def test_a_link_that_leads_nowhere_is_an_error_where_it_is_named(here: Path) -> None:
    (here / "dangling").symlink_to("nowhere")
    with pytest.raises(ConfigurationError, match="leads nowhere"):
        read_documents(["dangling"])
    assert read(".") == ([], {"dangling": "link"})


def test_links_in_a_folder_are_not_followed_and_cannot_loop(here: Path) -> None:
    put(here, ["src/a.py"])
    put(here.parent / "elsewhere", ["secret.txt"])
    (here / "src/loop").symlink_to("../src", target_is_directory=True)
    (here / "src/out").symlink_to("../../elsewhere", target_is_directory=True)
    (here / "src/secret.txt").symlink_to("../../elsewhere/secret.txt")
    found, notices = read("src")
    assert found == ["src/a.py"]
    assert notices == dict.fromkeys(["src/loop", "src/out", "src/secret.txt"], "link")
    assert paths("src/out", "src/secret.txt") == ["src/out/secret.txt"]


def test_hidden_and_generated_files_are_read_when_asked_for(here: Path) -> None:
    put(here, [".env", ".github/ci.yml", "a.py", "node_modules/x/i.js", "uv.lock", ".git/config"])
    assert read(".") == (
        ["a.py"],
        {
            ".env": "hidden",
            ".github/": "hidden",
            "node_modules/": "generated",
            "uv.lock": "generated",
        },
    )
    assert paths(".", include_hidden=True) == [".env", ".github/ci.yml", "a.py"]
    assert paths(".", include_generated=True) == ["a.py", "node_modules/x/i.js", "uv.lock"]
    assert ".git/config" not in paths(".", include_hidden=True, include_generated=True)


def test_a_file_that_is_named_is_read_whatever_its_name(here: Path) -> None:
    put(here, {".gitignore": "*.log\nbuild/\n", "a.log": "", "uv.lock": "", ".env": "", "b.py": ""})
    put(here, ["build/out.txt", "node_modules/x.js"])
    named = ["a.log", "uv.lock", ".env", "build/out.txt", "node_modules/x.js"]
    assert paths(*named) == named
    found, notices = read(".", "a.log", "uv.lock")
    assert found == ["b.py", "a.log", "uv.lock"]
    assert "a.log" not in notices
    assert "uv.lock" not in notices
    assert paths("node_modules") == ["node_modules/x.js"]


def test_a_folder_that_is_named_is_read_though_it_is_ignored(here: Path) -> None:
    put(
        here, {".git/HEAD": "", ".gitignore": "build/\n*.log\n", "build/a.txt": "", "src/x.log": ""}
    )
    put(here, ["build/sub/b.txt", "src/a.py", "src/deep/y.log"])
    assert paths("build") == ["build/a.txt", "build/sub/b.txt"]
    assert paths("build/sub") == ["build/sub/b.txt"]
    assert paths("src") == ["src/a.py"]
    assert paths("src/deep") == []


def test_rules_from_outside_the_repository_do_not_apply(here: Path) -> None:
    put(here.parent, {".gitignore": "*.py\n"})
    put(here, ["a.py"])
    assert paths(".") == ["a.py"]
    (here / ".git").mkdir()
    assert paths(".") == ["a.py"]


def test_files_to_pass_over_are_neither_read_nor_told_of(here: Path) -> None:
    put(here, ["a.txt", "b.txt", ".c.txt", "in/d.txt", "in/e.txt"])
    (here / "to").symlink_to("in")
    notices: list[FileNotice] = []
    exclude: list[str | Path] = [
        "./b.txt",
        ".c.txt",
        here / "to" / "d.txt",
        "gone.txt",
        "\0",
        "\ud800",
    ]
    documents = read_documents([".", "b.txt"], exclude=exclude, on_notice=notices.append)
    assert [document.path for document in documents] == ["a.txt", "in/e.txt"]
    assert [notice.path for notice in notices] == ["to"]


def test_globs_mean_what_they_mean_to_a_shell(here: Path) -> None:
    put(here, ["a.py", "b.txt", "src/c.py", "src/d/e.py", ".hidden.py", "x[1].py", "x1.py"])
    assert paths("*.py") == ["a.py", "x1.py", "x[1].py"]
    assert paths("s*") == ["src/c.py", "src/d/e.py"]
    assert paths("src/?.py") == ["src/c.py"]
    assert paths("[ab].*") == ["a.py", "b.txt"]
    assert paths("x[1].py") == ["x[1].py"]  # a file of that very name goes first
    assert paths(".h*") == [".hidden.py"]


def test_globs_behind_two_stars_pick_from_a_walk(here: Path) -> None:
    put(here, {".gitignore": "ignored/\n", "ignored/a.py": "", "src/a.py": "", "src/b.md": ""})
    put(here, ["src/d/e.py", "src/test/x.md", "src/.h/y.py", "node_modules/z.py", "top.py"])
    put(here, ["pkg1/src/m.py", "pkg2/src/n.py"])
    assert paths("**/*.py") == [
        *("pkg1/src/m.py", "pkg2/src/n.py", "src/a.py", "src/d/e.py", "top.py"),
    ]
    assert paths("src/**/*.py") == ["src/a.py", "src/d/e.py"]
    assert paths(f"{here}/src/**/*.py") == ["src/a.py", "src/d/e.py"]
    assert paths("src/**/test") == ["src/test/x.md"]
    assert paths("pkg*/**/*.py") == ["pkg1/src/m.py", "pkg2/src/n.py"]
    assert paths("src/**") == ["src/a.py", "src/b.md", "src/d/e.py", "src/test/x.md"]
    assert paths("src/**/.h/*.py") == ["src/.h/y.py"]
    _, notices = read("src/**/*.py")
    assert notices == {}


def test_standard_input(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(here, ["stdin"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("né\r\n".encode())))
    documents = list(read_documents(["-", "stdin", "-"]))
    assert [(d.path, d.content[:4]) for d in documents] == [
        ("stdin", "né\r\n"),
        ("here/stdin", "text"),
    ]


def test_a_single_path_needs_no_list(here: Path) -> None:
    put(here, ["a.py"])
    assert [d.path for d in read_documents("a.py")] == ["a.py"]
    assert [d.path for d in read_documents(here)] == ["a.py"]


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
@given(text=st.text().filter(lambda text: not text.startswith("\ufeff") and "\0" not in text))
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_byte_order_marks_tell_the_encoding(
    tmp_path: Path, mark: bytes, codec: str, text: str
) -> None:
    (tmp_path / "a.txt").write_bytes(mark + text.encode(codec))
    assert [d.content for d in read_documents([tmp_path / "a.txt"])] == [text]


def test_binary_files_are_left_out_and_reported(here: Path) -> None:
    (here / "head.dat").write_bytes(b"GIF89a\0")
    (here / "late.log").write_bytes(b"x" * 10_000 + b"\0 a NUL far behind is text")
    put(here, ["photo.PNG", "a.txt"])
    found, notices = read(".")
    assert found == ["a.txt", "late.log"]
    assert notices == {"head.dat": "binary", "photo.PNG": "binary"}
    assert paths("photo.PNG") == ["photo.PNG"]  # its name is no proof
    assert read("head.dat") == ([], {"head.dat": "binary"})


def test_a_few_bad_bytes_are_repaired_and_many_are_another_encoding(here: Path) -> None:
    (here / "german.txt").write_bytes("Die Größe der Prüfung ist schön zu wissen.".encode("cp1252"))
    (here / "greek.txt").write_bytes("Καλημέρα κόσμε, τι κάνεις".encode("cp1253"))
    found, notices = read(".")
    assert found == ["german.txt"]
    assert notices == {"german.txt": "repaired", "greek.txt": "undecodable"}
    assert next(read_documents(["german.txt"])).content.startswith("Die Gr\ufffd\ufffde der Pr")
    documents = read_documents(["greek.txt"], encoding="cp1253")
    assert next(documents).content == "Καλημέρα κόσμε, τι κάνεις"


def test_an_encoding_of_two_bytes_is_not_taken_for_binary(here: Path) -> None:
    (here / "a.txt").write_bytes("plain".encode("utf-16-le"))
    assert [d.content for d in read_documents(["a.txt"], encoding="utf-16-le")] == ["plain"]
    assert paths("a.txt") == []


@pytest.mark.parametrize("encoding", ["nope", "base64", ""])
def test_an_encoding_must_be_one(here: Path, encoding: str) -> None:
    with pytest.raises(ConfigurationError, match="encoding must name"):
        read_documents(["."], encoding=encoding)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def unreadable(path: Path) -> None:
    path.symlink_to(path.name)  # a link to itself cannot be read, not even by root


def test_what_an_unreadable_ignore_file_governs_is_left_out(here: Path) -> None:
    put(here, ["a.txt", "g/b.txt", "g/in/c.txt", "h/d.txt"])
    unreadable(here / "g" / ".gitignore")
    told = {"g/.gitignore": "unreadable"}
    assert read(".") == (["a.txt", "h/d.txt"], told)
    assert read("g") == ([], told)
    assert read("g/b.txt", ".") == (["g/b.txt", "a.txt", "h/d.txt"], told)
    assert read("**/*.txt") == (["a.txt", "h/d.txt"], told)
    (here / ".git").mkdir()
    assert read("g/in") == ([], {"g/in/../.gitignore": "unreadable"})


def test_an_ignore_file_that_is_none_is_no_trouble(here: Path) -> None:
    put(here, ["g/b.txt"])
    (here / "g" / ".gitignore").mkdir()
    (here / ".gitignore").symlink_to("nowhere")
    assert paths(".") == ["g/b.txt"]


def test_a_current_folder_that_is_gone_is_named(here: Path) -> None:
    here.rmdir()
    with pytest.raises(ConfigurationError, match="current folder"):
        read_documents(["."])


def test_pipes_in_a_folder_are_not_opened(here: Path) -> None:
    os.mkfifo(here / "pipe")
    assert read(".") == ([], {"pipe": "special"})


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind")
def test_a_file_that_is_named_must_be_readable(here: Path) -> None:
    put(here, ["a.txt"])
    (here / "a.txt").chmod(0)
    with pytest.raises(ConfigurationError, match="permissions"):
        read_documents(["a.txt"])


def test_what_goes_away_is_reported(here: Path) -> None:
    put(here, ["a.txt", "b/c.txt", "d.txt"])
    notices: list[FileNotice] = []
    documents = read_documents(["."], on_notice=notices.append)
    next(documents)
    shutil.rmtree(here / "b")
    (here / "d.txt").unlink()
    assert list(documents) == []
    assert notices == [FileNotice("b/", "unreadable"), FileNotice("d.txt", "unreadable")]


def test_a_very_deep_folder_is_no_trouble(here: Path) -> None:
    deep = "/".join("d" * 400) + "/a.txt"
    put(here, [deep])
    assert paths(".") == [deep]


NAMES = ["a", "b", "foo", "bar.py", "x.txt", "née"]
PATTERNS = st.one_of(
    st.sampled_from(
        """
        * ** / // ! !* */ !*/ !*.py *.py *.txt /* /a a/ /a/ !a/ a/* a/** a/**/b **/foo **/a/
        foo/** !foo !/a/b a/b a/b/ !a/b/ a/*/foo ?oo [ab] [!a] [a-f]oo b* #a \\#a \\!a a\\ foo\\
        née n*e !x.txt /**/bar.py a/**/ **/b/*.py [ [] [a
        """.split()
    ),
    st.sampled_from(["a ", "a/ ", "foo\\ ", " a", "", "a\r"]),
)


@pytest.fixture(scope="module")
def git_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is the judge here, and it is not installed")
    folder = tmp_path_factory.mktemp("git")
    git(folder, "init", "--quiet", "--bare", str(folder))
    return folder


def git(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "core.bare=false", "--git-dir", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, env=environment).stdout.decode()


@given(
    files=st.dictionaries(st.sampled_from(["", "a", "a/b", "foo"]), st.lists(PATTERNS, max_size=4))
)
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_ignore_files_mean_what_they_mean_to_git(
    git_folder: Path, tmp_path_factory: pytest.TempPathFactory, files: dict[str, list[str]]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    folders = ["", "a/", "a/b/", "a/b/a/", "b/", "foo/", "foo/a/", "foo/a/foo/"]
    put(root, [f + n for f in folders for n in NAMES if f"{f}{n}/" not in folders])
    for folder, lines in files.items():
        (root / folder / ".gitignore").write_text("\n".join(lines), encoding="utf-8")
    listing = git(
        git_folder, "--work-tree", str(root), "-C", str(root),
        "ls-files", "-z", "--others", "--exclude-standard",
    )  # fmt: skip
    expected = {path for path in listing.split("\0") if path}
    documents = read_documents([root], include_hidden=True)
    assert {document.path.removeprefix(f"{root.name}/") for document in documents} == expected
    shutil.rmtree(root)
