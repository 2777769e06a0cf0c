"""What is put in place of what: whole or not at all, and the way back, whoever is killed in between."""

import fcntl
import importlib
import logging
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from builtin_plugins.installing import pip
from builtin_plugins.installing.journal import Act, Change, Journal, read_journal
from builtin_plugins.installing.signatures import Signatures
from builtin_plugins.installing.wheels import no_way_back, wheel_of_installed, wipe, with_newer_migrations
from guildhall_sdk.errors import OperatorError

_log = logging.getLogger("guildhall.installing")


@contextmanager
def held(folder: Path) -> Iterator["Installations"]:
    """Opens what was installed from a folder, for one process at a time; mends what a killed one left."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        installations = Installations(folder)
        installations.settle()
        yield installations


class Installations:
    """The distributions that were put in place from one data folder, and those that were there before."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.journal: Journal = read_journal(folder)
        self.changed = False

    def settle(self) -> None:
        """Puts back what was in place before an install, or a way back, that did not end."""
        if (act := self.journal.open) is None:
            return
        _log.warning("plugin.install_undone", extra={"fields": {"plugin": act.plugin}})
        self._put_back(act)
        self.journal.open = None
        self.journal.save()

    def install(self, plugin: str, coming: Sequence[pip.Coming], was: Mapping[str, str | None]) -> Act:
        """Returns the act that puts wheels in place; `was` is what was installed when somebody agreed."""
        for one in coming:
            if pip.installed_version(one.name) != was[one.name]:
                raise OperatorError(f"{one.name} was changed meanwhile, by somebody else: try again")
        changes = [
            Change(
                name=one.name,
                old_version=was[one.name],
                old_wheel=self._wheel_of(one.name, was[one.name]),
                new_version=one.version,
                new_wheel=self._stored(one.wheel),
            )
            for one in coming
        ]
        return Act(plugin=plugin, changes=changes)

    def carry_out(self, act: Act, action: str, undone: Act | None = None) -> None:
        """Puts the new wheels of an act in place, all of them or none; what it was is in the journal."""
        journal, files = self.journal, self._files(act, new=True)
        journal.open = act
        journal.save()
        try:
            pip.put(files, "--force-reinstall")
        except OperatorError:
            self.settle()
            raise
        self._remove([one for one in act.changes if one.new_wheel is None])
        journal.open = None
        for one in act.changes:
            if one.new_wheel is None:
                journal.wheels.pop(one.name, None)
            else:
                journal.wheels[one.name] = one.new_wheel
        journal.note(action, act)
        if undone is None:
            journal.add(act)
        else:
            journal.acts.remove(undone)
            # What comes to light again is tried by the next start anew, whatever came of it before.
            if (before := self.last_act(act.plugin)) is not None and before.state == "tried":
                before.state = "installed"
        journal.save()
        self._sweep()
        self._installed_anew()

    def roll_back(self, act: Act, signatures: Signatures, *, whole: bool = False, why: str = "") -> Act:
        """Goes back on an act; what newer migrations made stays.

        What came along with it stays too, as others may need it by now, unless it is undone as a `whole`.
        Raises `OperatorError` where there is no way back.
        """
        if not whole and not any(one.old_wheel for one in act.changes):
            raise OperatorError(f"there is no version of {act.plugin} before this one to go back to")
        changes = []
        for one in act.changes:
            if one.old_wheel:
                signatures.check(self.folder / one.old_wheel, self.folder / f"{one.old_wheel}.sig")
            if one.old_wheel or whole:
                changes.append(
                    Change(
                        name=one.name,
                        old_version=one.new_version,
                        old_wheel=one.new_wheel,
                        new_version=one.old_version,
                        new_wheel=self._wheel_before(one, act),
                    )
                )
        back = Act(plugin=act.plugin, changes=changes, detail={"why": why} if why else {})
        self.carry_out(back, "plugin.rolled_back", undone=act)
        return back

    def _wheel_before(self, change: Change, act: Act) -> str | None:
        """Returns the wheel to go back to, which knows the migrations that a start may have applied."""
        if change.old_wheel is None or change.new_wheel is None or act.state == "installed":
            return change.old_wheel
        older, newer = self.folder / change.old_wheel, self.folder / change.new_wheel
        if (reason := no_way_back(older, newer)) is not None:
            raise OperatorError(f"{change.name} stays at {change.new_version}: {reason}")
        wheel = with_newer_migrations(older, newer, self.folder / "carried")
        return change.old_wheel if wheel == older else self._stored(wheel)

    def last_acts(self) -> list[Act]:
        """Returns the act that each plugin is there by, the last one first."""
        return [act for act in reversed(self.journal.acts) if act is self.last_act(act.plugin)]

    def last_act(self, plugin: str) -> Act | None:
        return next((one for one in reversed(self.journal.acts) if one.plugin == plugin), None)

    def _put_back(self, act: Act) -> None:
        """Removes all that either version may have put there, and installs what was there before."""
        wipe([*self._files(act, new=True), *self._files(act, new=False)])
        pip.put(self._files(act, new=False), "--ignore-installed")
        self._installed_anew()

    def _remove(self, changes: Sequence[Change]) -> None:
        wipe([self.folder / one.old_wheel for one in changes if one.old_wheel])

    def _files(self, act: Act, *, new: bool) -> list[Path]:
        wheels = [one.new_wheel if new else one.old_wheel for one in act.changes]
        return [self.folder / wheel for wheel in wheels if wheel is not None]

    def _wheel_of(self, name: str, version: str | None) -> str | None:
        """Returns the wheel of what is installed: the one that it came from, or one made of its files."""
        if version is None:
            return None
        known = self.journal.wheels.get(name)
        if known is not None and f"-{version}-" in known and (self.folder / known).exists():
            return known
        return self._stored(wheel_of_installed(name, self.folder / "made"))

    def _stored(self, wheel: Path) -> str:
        """Moves a wheel, and its signature, to where it stays; returns its place in the folder."""
        digest = sha256(wheel.read_bytes()).hexdigest()[:16]
        place = Path("wheels", digest, wheel.name)
        kept = self.folder / place
        kept.parent.mkdir(parents=True, exist_ok=True)
        signature = wheel.with_name(f"{wheel.name}.sig")
        if signature.exists():
            signature.replace(kept.with_name(signature.name))
        with wheel.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(wheel, kept)  # noqa: PTH105 - as the tests count it
        return str(place)

    def _sweep(self) -> None:
        """Deletes the wheels that nobody can want any more."""
        used = {Path(wheel).parent.name for wheel in self.journal.in_use()}
        for folder in (self.folder / "wheels").glob("*"):
            if folder.name not in used:
                shutil.rmtree(folder, ignore_errors=True)

    def _installed_anew(self) -> None:
        self.changed = True
        importlib.invalidate_caches()
