"""A box's folder: laid out before the program starts, read back and removed after it. Nothing here follows a link.

Level 3 where namespaces of our own are allowed: a file system of limited size that vanishes with the run. Else two
folders under the launcher's base. Left out: who may reach them (layers).
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import Any

from verigrad.sandbox import kernel

_PAGE = 65536 if os.sysconf("SC_PAGE_SIZE") > 4096 else 4096
_OURS = 1 << 20
"""Bytes for what starts the program (level 3)."""
UIDS = 2_000_000_000
"""A box run by root belongs to a user from this number on, and to nobody else."""


def _user(level: int) -> int:
    """Level 2: numbered by the keeper, so that no two boxes share it. Level 3: any; the launcher sees 1 to 65535."""
    return UIDS + os.getpid() if level == 2 else 1 + int.from_bytes(os.urandom(2)) % 65535


class Box:
    """The folders of one run: `root`/box is the program's working directory, `root`/tmp its TMPDIR (level 2)."""

    def __init__(self, settings: dict[str, Any], order: dict[str, Any]) -> None:
        self.root = os.path.join(settings["base"], str(os.getpid()))
        self.folder, self.tmp = os.path.join(self.root, "box"), os.path.join(self.root, "tmp")
        self.uid = _user(settings["level"]) if settings["own_users"] else None
        """The user the program runs as, where not ours; a number in our own namespace."""
        self.bound: dict[str, str] = {}
        """Where folders lie, for that user, that the way to may be closed to it (level 3)."""
        self.locked: list[str] = order["locked"]
        """Files the program may not change."""
        self._private: bool = settings["private"]
        self._order = order
        self._contents: dict[str, bytes] = {}

    def make(self, contents: dict[str, bytes]) -> None:
        """Lays out `contents` ("l/NAME" locked, "f/NAME" not)."""
        if os.path.lexists(self.root):  # of a keeper that was killed, and had our number
            remove(self.root)
        os.mkdir(self.root, 0o755)
        if self._private:
            laid = sum(len(body) // _PAGE + 2 for body in contents.values()) * _PAGE  # with their folders
            size = self._order["limits"]["tmp_bytes"] + laid + _OURS
            inodes = 16384 + 16 * len(contents)
            flags = kernel.MS_NOSUID | kernel.MS_NODEV
            kernel.mount("box", self.root, "tmpfs", flags, f"size={size},nr_inodes={inodes},mode=0755")
        for path in (self.folder, self.tmp):
            os.mkdir(path, 0o755)
        self._contents = contents
        for name, body in contents.items():
            path = os.path.join(self.folder, name[2:])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(body)
                os.fchmod(file.fileno(), 0o755)
        if self.uid is not None:
            self._give_away()
            if self._private:
                self._bind()

    def _bind(self) -> None:
        for path in self._order["reads"]:
            if os.path.isdir(path):
                self.bound[path] = os.path.join(self.root, f"seen{len(self.bound)}")
                os.mkdir(self.bound[path])
                kernel.mount(path, self.bound[path], "", kernel.MS_BIND | kernel.MS_REC)

    def _give_away(self) -> None:
        """To the box's own user; what is locked stays ours, in folders where only owners may rename or remove."""
        assert self.uid is not None
        kept = {os.path.join(self.folder, name) for name in self.locked}
        ours = set(kept)
        for path in kept:
            while path != self.folder:
                path = os.path.dirname(path)
                ours.add(path)
        for at, folders, files in os.walk(self.root):
            for path in (at, *(os.path.join(at, name) for name in (*folders, *files))):
                if path not in ours:
                    os.chown(path, self.uid, self.uid)
                elif path not in kept:
                    os.chmod(path, 0o1777)
        os.chown(self.root, 0, 0)

    def kept(self) -> dict[str, bytes]:
        """The files asked for: regular, reached through no link, and not too large."""
        found: dict[str, bytes] = {}
        for name in self._order["keep"]:
            with contextlib.suppress(OSError):
                body = self._read(name, self._order["limits"]["file_bytes"])
                if body is not None:
                    found[name] = body
        return found

    def changed(self) -> list[str]:
        """Locked files that are no longer as they were laid out."""
        changed = []
        for name in self.locked:
            body = self._contents[f"l/{name}"]
            try:
                same = self._read(name, len(body)) == body
            except OSError:
                same = False
            if not same:
                changed.append(name)
        return changed

    def _read(self, name: str, cap: int) -> bytes | None:
        at = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            *folders, last = name.split("/")
            for part in folders:
                deeper = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = deeper
            fd = os.open(last, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
        finally:
            os.close(at)
        with open(fd, "rb") as file:
            about = os.fstat(fd)
            return file.read() if stat.S_ISREG(about.st_mode) and about.st_size <= cap else None

    def remove(self) -> None:
        """Everything the run left."""
        clear(self.root, private=self._private)


def clear(root: str, *, private: bool) -> None:
    """A box's folder and all in it, where it is still there."""
    with contextlib.suppress(OSError):
        if private:
            kernel.unmount(root)
            os.rmdir(root)
        else:
            remove(root)


def remove(root: str) -> None:
    """A whole tree, however deep, by folders' descriptors: what is nested is moved up, so no path grows long."""
    top = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    names = ["."]
    count = 0
    for name in names:
        if name != ".":
            os.chmod(name, 0o700, dir_fd=top)
        at = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
        for entry in os.listdir(at):
            if not stat.S_ISDIR(os.stat(entry, dir_fd=at, follow_symlinks=False).st_mode):
                os.unlink(entry, dir_fd=at)
                continue
            moved = f"\N{BULLET}{count}"
            count += 1
            os.chmod(entry, 0o700, dir_fd=at)
            os.rename(entry, moved, src_dir_fd=at, dst_dir_fd=top)
            names.append(moved)
        os.close(at)
        if name != ".":
            os.rmdir(name, dir_fd=top)
    os.close(top)
    os.rmdir(root)
