import json

import pytest
from hypothesis import given, settings

from evenhand.errors import DataError, StoreError
from evenhand.records import SCHEMA_VERSION, RunManifest
from evenhand.store.manifest_json import manifest_from_json, manifest_to_json
from store.examples import manifest
from store.strategies import whole


@settings(deadline=None)  # a shared machine may stall; time is not what is tested
@given(whole(RunManifest).filter(lambda drawn: drawn.schema_version <= SCHEMA_VERSION))
def test_manifests_round_trip(drawn):
    assert manifest_from_json(manifest_to_json(drawn)) == drawn


def test_a_newer_format_is_refused_by_name_whatever_else_it_holds():
    text = json.dumps({"schema_version": SCHEMA_VERSION + 1, "hologram": []})
    with pytest.raises(StoreError, match=f"run format {SCHEMA_VERSION + 1} is newer .* update Evenhand"):
        manifest_from_json(text)


def test_an_unknown_field_is_named():
    value = json.loads(manifest_to_json(manifest()))
    value["judge"]["hologram"] = 1
    with pytest.raises(DataError, match=r"manifest\.judge: unknown field 'hologram'"):
        manifest_from_json(json.dumps(value))


def test_what_is_not_json_is_said():
    with pytest.raises(DataError, match="manifest: not JSON"):
        manifest_from_json("")
