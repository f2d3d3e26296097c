"""The real embedded model, fetched once where it is missing: a failure to fetch fails the tests that need it."""

import pytest

from evenhand.judges.llama.judge import LlamaCppJudge
from evenhand.judges.model_files import model_path


@pytest.fixture(scope="session")
def smollm2():
    return model_path()


@pytest.fixture(scope="module")
def judge(smollm2):
    # One thread: two wait for each other without sleeping, which is slow where tests share a machine.
    with LlamaCppJudge(smollm2, spec="llamacpp:smollm2-135m", n_ctx=1024, threads=1) as loaded:
        yield loaded


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """Folders of tiny models by family, each made once."""
    made = {}

    def folder_of(family):
        if family.name not in made:
            from judges.tiny_models import save

            made[family.name] = save(family, tmp_path_factory.mktemp(family.name))
        return made[family.name]

    return folder_of
