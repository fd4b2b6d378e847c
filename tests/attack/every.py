"""Every attack, in the order in which a whole run makes them."""

from __future__ import annotations

from tests.attack.archives import Archives
from tests.attack.batches import Batches, BatchFolders
from tests.attack.bombs import Bombs
from tests.attack.calls import Calls
from tests.attack.checkpoints import Checkpoints
from tests.attack.places import Outputs, Resumes
from tests.attack.processes import Disks, Environments, Forks, Kills, Signals, Writers
from tests.attack.server import Servers
from tests.attack.sounds import Recordings, Voices
from tests.attack.texts import Commands, Documents, Texts

ATTACKS = (
    Checkpoints(),
    Archives(),
    Voices(),
    Recordings(),
    Texts(),
    Documents(),
    Bombs(),
    Commands(),
    Resumes(),
    Batches(),
    BatchFolders(),
    Outputs(),
    Calls(),
    Environments(),
    Signals(),
    Writers(),
    Forks(),
    Kills(),
    Disks(),
    Servers(),
)
