# SPDX-License-Identifier: MIT
"""Packages of Debian, fetched into a cache by its own apt configuration and unpacked there.

Nothing is installed, and the machine's package lists do not change.
"""
import glob
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Missing(Exception):
    """A suite cannot be had here; the text is the reason."""


def run(argv, cwd, log, **more):
    with open(log, "ab") as out:
        done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=out, **more)
    if done.returncode:
        raise Missing(f"{argv[0]} failed: see {log}")


def from_shell(function):
    """The lines that a function of tests/kernels/debian.sh prints."""
    script = f'. "{HERE}/../kernels/debian.sh"; {function}'
    done = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.split()


def release():
    """The one that runs here, or another whose sources are wanted."""
    if os.environ.get("FOREIGN_RELEASE"):
        return os.environ["FOREIGN_RELEASE"]
    with open("/etc/os-release", encoding="utf-8") as file:
        fields = dict(line.strip().split("=", 1) for line in file if "=" in line)
    return fields.get("VERSION_CODENAME", "").strip('"')


class Archive:
    """Binary and source packages of the release that runs here, or of FOREIGN_RELEASE."""

    def __init__(self, cache):
        self.cache = cache
        self.log = os.path.join(cache, "apt.log")
        folder = os.path.join(cache, "apt")
        self.options = ["-q", "-o", f"Dir::Etc::SourceList={folder}/sources.list",
                        "-o", "Dir::Etc::SourceParts=/dev/null", "-o", f"Dir::State::lists={folder}/lists",
                        "-o", f"Dir::Cache={folder}/cache", "-o", "APT::Sandbox::User="]
        self.ready = False

    def apt(self, *words, cwd=None):
        run(["apt-get", *self.options, *words], cwd or self.cache, self.log, timeout=900)

    def update(self):
        """Lists of the mirror that this machine uses, once a run."""
        if self.ready:
            return
        mirrors, keys = from_shell("mirrors"), from_shell("keyring")
        if not mirrors or not keys or not release():
            raise Missing("this machine knows no mirror of Debian")
        for part in ("lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.cache, "apt", part), exist_ok=True)
        with open(os.path.join(self.cache, "apt/sources.list"), "w", encoding="utf-8") as file:
            for kind in ("deb", "deb-src"):
                file.write(f"{kind} [signed-by={keys[0]}] {mirrors[0]} {release()} main\n")
        self.apt("update")
        self.ready = True

    def binaries(self, folder, *names):
        """Unpacks binary packages into folder."""
        self.update()
        place = os.path.join(self.cache, "debs")
        os.makedirs(place, exist_ok=True)
        self.apt("download", *names, cwd=place)
        for name in names:
            newest = max(glob.glob(f"{place}/{name}_*.deb"), key=os.path.getmtime)
            run(["dpkg", "-x", newest, folder], place, self.log)

    def source(self, folder, name):
        """Unpacks what upstream released, without Debian's changes, into folder."""
        self.update()
        place = os.path.join(self.cache, "sources", name)
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        try:
            self.apt("source", "--download-only", "--tar-only", name, cwd=place)
        except Missing:
            # a mirror that lacks a second tarball; apt leaves only files whose checksum is right
            pass
        text = glob.glob(f"{glob.escape(place)}/*.orig.tar.*[!c]")
        if not text:
            raise Missing(f"the source of {name} could not be fetched: see {self.log}")
        os.makedirs(folder, exist_ok=True)
        run(["tar", "-xf", text[0], "-C", folder, "--strip-components", "1"], place, self.log)
