"""Whose recording a file is, from its place in a package."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("soundfile")
pytest.importorskip("scipy")
sys.path.insert(0, str(Path(__file__).parent))
import human


@pytest.mark.parametrize(
    ("path", "person"),
    [
        ("games/fillets-ng/sound/city/cs/vit-v-proc.ogg", "fillets-cs_v"),
        ("games/fillets-ng/sound/city/nl/vit-m-nebo.ogg", "fillets-nl_m"),
        ("games/fillets-ng/sound/city/cs/vit-hs-klid1.ogg", "fillets-cs_others"),
        ("ktuberling/sounds/de/ear.ogg", "ktuberling-de"),
        ("tuxpaint/stamps/animals/cat_desc.ogg", "tuxpaint-en"),
    ],
)
def test_people(tmp_path, path, person):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.touch()
    assert list(human.people(tmp_path)) == [person]
