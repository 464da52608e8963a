"""Where projects are and what they are called."""

from __future__ import annotations

from pathlib import Path

from weft.assembly.project_places import places
from weft.settings.environment import Environment
from weft.settings.load import load


def names_of(folder: Path, *tables: str) -> dict[str, str]:
    (folder / "weft.toml").write_text("\n".join(f"[[projects]]\n{table}" for table in tables))
    environment = Environment({"HOME": "/home/ada"}, folder)
    return {place.name: str(place.path) for place in places(load(environment), environment)}


def test_paths_are_meant_from_the_settings(tmp_path: Path) -> None:
    """PROJ-1: relative paths from the settings' folder, `~` from the user's home."""
    found = names_of(tmp_path, 'path = "../shop"', 'path = "~/code/api"', 'path = "/srv/www"')
    assert found == {"shop": str(tmp_path.parent / "shop"), "api": "/home/ada/code/api", "www": "/srv/www"}


def test_names_are_never_shared(tmp_path: Path) -> None:
    """PROJ-1: the folder above tells folders of one name apart, then a number; names that were given stay."""
    tables = ('path = "/a/shop"', 'path = "/b/shop"', 'path = "/x/b/shop"', 'path = "/c/shop"\nname = "till"')
    assert list(names_of(tmp_path, *tables)) == ["a-shop", "b-shop", "b-shop-2", "till"]


def test_odd_names_become_safe(tmp_path: Path) -> None:
    """PROJ-1: a job's key stays one word, whatever the folder is called."""
    assert list(names_of(tmp_path, 'path = "/a/My Shop (old)#2"')) == ["My-Shop-old-2"]


def test_urgent_ones_first(tmp_path: Path) -> None:
    """PROJ-1: by `priority`, else as they are listed."""
    assert list(names_of(tmp_path, 'path = "/a"', 'path = "/b"\npriority = 2', 'path = "/c"')) == ["b", "a", "c"]
