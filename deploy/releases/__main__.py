"""Builds a release into a folder: `python -m deploy.releases dist [--key KEY] [--image]`."""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from deploy.releases.bill_of_materials import bill_of_materials
from deploy.releases.sources import PROJECTS, Release, ReleaseError, read_release

#: What a signature is for: one that was made for something else does not fit.
NAMESPACE = "guildhall-release"
_SUMS = "SHA256SUMS"
_ROOT = Path(__file__).resolve().parents[2]
_BUILD = """
import os, sys
from hatchling import build
os.chdir(sys.argv[2])
build.build_wheel(sys.argv[1])
if sys.argv[3] == "source":
    build.build_sdist(sys.argv[1])
"""


def main(arguments: Sequence[str]) -> int:
    """Returns 0 when the release lies in its folder."""
    parser = argparse.ArgumentParser(prog="make release", description="Builds a release into a folder.")
    parser.add_argument("target", type=Path, help="the folder; what is in it is taken away")
    parser.add_argument("--root", type=Path, default=_ROOT, help="the sources")
    parser.add_argument("--key", type=Path, help="a private key of OpenSSH, which signs the checksums")
    parser.add_argument("--image", action="store_true", help="build the image too, with podman or buildah")
    options = parser.parse_args(arguments)
    try:
        release = make_release(options.root.resolve(), options.target.resolve(), options.key, options.image)
    except ReleaseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"Guildhall {release.version} is in {options.target}\n")
    return 0


def make_release(root: Path, target: Path, key: Path | None, with_image: bool) -> Release:
    """Builds everything beside the target, and puts it there once it is whole."""
    release = read_release(root)
    if key is not None and not key.is_file():
        raise ReleaseError(f"There is no key at {key}: name a private key of OpenSSH, or none")
    for place in ("builtin_plugins/console/dist/index.html", "builtin_plugins/docs_site/site/index.html"):
        if not (root / place).is_file():
            raise ReleaseError(f"{place} is not there: `make console docs` builds it")
    building = target.parent / "build" / f"{target.name}.part"  # of which no source distribution takes a part
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    for project in PROJECTS:
        _build(root / project, building, release.epoch)
    (building / f"guildhall-{release.version}.cdx.json").write_text(
        bill_of_materials(root, release.version, release.epoch), "utf-8"
    )
    (building / "NOTES.md").write_text(release.notes, "utf-8")
    if with_image:
        _image(root, building, release)
    _checksums(building)
    if key is None:
        sys.stderr.write("Not signed: `make release RELEASE_KEY=~/.ssh/id_ed25519` signs the checksums\n")
    else:
        _sign(building / _SUMS, key)
    shutil.rmtree(target, ignore_errors=True)
    building.rename(target)
    return release


def _build(project: Path, target: Path, epoch: int) -> None:
    kind = "source" if (project / "kernel").is_dir() else "wheel"  # the server's holds the others' too
    done = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", _BUILD, str(target), str(project), kind],
        capture_output=True,
        text=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch)},
    )
    if done.returncode:
        raise ReleaseError(f"{project.name} could not be built:\n{done.stdout}{done.stderr}".rstrip())


def _image(root: Path, target: Path, release: Release) -> None:
    """Builds the image where there is a program for it, and says so where there is none."""
    program = shutil.which("podman") or shutil.which("buildah")
    if program is None:
        sys.stderr.write("No image: neither podman nor buildah is here\n")
        return
    tag = f"guildhall:{release.version}"
    archive = target / f"guildhall-{release.version}.oci.tar"
    save = ["save", "--format", "oci-archive", "-o", str(archive), tag]
    push = ["push", tag, f"oci-archive:{archive}"]
    words = ["build", "--timestamp", str(release.epoch), "-t", tag, "-f", "deploy/Containerfile", "."]
    for command in (words, save if program.endswith("podman") else push):
        if subprocess.run([program, *command], cwd=root).returncode:  # noqa: S603 - ours
            raise ReleaseError(
                f"The image could not be built: {program} {command[0]} failed, as it says above"
            )


def _checksums(folder: Path) -> None:
    lines = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {path.name}\n")
    (folder / _SUMS).write_text("".join(lines), "ascii")


def _sign(sums: Path, key: Path) -> None:
    """Signs by OpenSSH, which every machine with git can verify."""
    words = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(sums)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)  # noqa: S603
    except FileNotFoundError:
        raise ReleaseError("There is no ssh-keygen here, which signs: install OpenSSH's client") from None
    if done.returncode:
        raise ReleaseError(f"The checksums could not be signed: {done.stderr.strip()}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
