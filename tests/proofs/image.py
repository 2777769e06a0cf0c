"""Builds the image with buildah from a base of mmdebstrap's, and serves from it.

No registry of images and no daemon is needed: the base is Debian's packages, Node is this machine's.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from tests.processes import free_port
from tests.proofs.programs import DEBIAN, ROOT, environment, program

_PACKAGES = (
    *("bubblewrap", "ca-certificates", "gcc", "libc6-dev", "libstdc++6", "make"),
    *("python-is-python3", "python3-pip", "python3-venv"),
)
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
#: How this machine reaches the package indexes, where it is told so by files.
_CONFIGURATION = ("/etc/pip.conf", _CERTIFICATES, "/etc/apt/apt.conf.d")
_START_SECONDS = 120
_POLICY = '{"default": [{"type": "insecureAcceptAnything"}]}'


class Buildah:
    """buildah with a storage of its own; a container is a folder that a program is run in."""

    def __init__(self, folder: Path) -> None:
        (folder / "policy.json").write_text(_POLICY)
        self._words = [
            str(program("buildah")),
            *("--root", str(folder / "storage"), "--runroot", str(folder / "running")),
            *("--storage-driver", "vfs", "--registries-conf", os.devnull),
        ]
        self._policy = ["--signature-policy", str(folder / "policy.json")]
        names = ("PIP_", "NODE_EXTRA", "SSL_CERT")
        self._environ = environment(HOME=str(folder), TMPDIR=str(folder), BUILDAH_ISOLATION="chroot")
        self.passed = {name: value for name, value in os.environ.items() if name.startswith(names)}

    def __call__(self, verb: str, *words: object) -> str:
        policy = self._policy if verb in ("from", "build", "commit") else []
        command = [*self._words, verb, *policy, *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True, env=self._environ, cwd=ROOT)
        if done.returncode:
            raise SystemExit(f"buildah {verb} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout.strip()

    def start(self, *words: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen([*self._words, *map(str, words)], env=self._environ, stdin=subprocess.DEVNULL)


def main() -> int:
    for name in ("buildah", "mmdebstrap", "node"):
        if program(name) is None:
            sys.stdout.write(f"No image: {name} is not here, and cannot be had\n")
            return 0
    folder = Path(tempfile.mkdtemp(prefix="guildhall-image-", dir="/var/tmp"))
    try:
        begun = time.monotonic()
        buildah = Buildah(folder)
        _build(buildah, folder)
        sys.stdout.write(f"the image is built, in {time.monotonic() - begun:.0f} s\n")
        _serve(buildah)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _build(buildah: Buildah, folder: Path) -> None:
    base = folder / "base.tar"
    words = ["--mode=root", "--variant=minbase", f"--include={','.join(_PACKAGES)}", "bookworm", str(base)]
    made = subprocess.run([str(program("mmdebstrap")), *words], capture_output=True, text=True)
    if made.returncode:
        raise SystemExit(f"mmdebstrap failed:\n{made.stderr[-3000:]}")
    container = buildah("from", "scratch")
    buildah("add", container, base, "/")
    base.unlink()
    buildah("config", "--env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container)
    buildah("commit", "--rm", container, "localhost/python")
    container = buildah("from", "scratch")
    node = Path(str(program("node"))).resolve()
    buildah("copy", container, node, "/usr/local/bin/node")
    buildah("copy", container, node.parents[1] / "lib/node_modules", "/usr/local/lib/node_modules")
    buildah("commit", "--rm", container, "localhost/node")
    # npm goes by the certificates that it brings, but where it is told of others.
    (folder / "npmrc").write_text(f"cafile={_CERTIFICATES}\n")
    reach = [word for path in _CONFIGURATION if Path(path).exists() for word in ("-v", f"{path}:{path}:ro")]
    reach += ["-v", f"{folder}/npmrc:/root/.npmrc:ro"]
    reach += [word for name, value in buildah.passed.items() for word in ("--env", f"{name}={value}")]
    arguments = ["--build-arg", "PYTHON=localhost/python", "--build-arg", "NODE=localhost/node"]
    named = ["-t", "localhost/guildhall", "-f", "deploy/Containerfile"]
    named += ["--ignorefile", "deploy/Containerfile.containerignore", "."]
    # The build of the console opens more files at once than a process is allowed by itself.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    buildah("build", "--ulimit", f"nofile={most}:{most}", *arguments, *reach, *named)


def _serve(buildah: Buildah) -> None:
    container = buildah("from", "localhost/guildhall")
    assert buildah("run", container, "--", "id", "-u") == "10001"
    port = free_port()
    settings = {"SERVICE_BIND": f"127.0.0.1:{port}", "SERVICE_S3_BIND": f"127.0.0.1:{free_port()}"}
    words = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
    running = buildah.start("run", *words, container, "--", "guildhall", "serve")
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30) as http:
            _wait_until_ready(http)
            for path in ("/health", "/", "/docs/"):
                answer = http.get(path, follow_redirects=True)
                assert answer.status_code == 200, (path, answer.status_code)
            made = http.post("/api/bootstrap", json={"username": "ada", "password": "difference engine"})
            assert made.status_code == 201, made.text
    finally:
        running.terminate()
        running.wait(60)
    sys.stdout.write("it serves, as a user without rights: health, console, documentation, a first person\n")


def _wait_until_ready(http: httpx.Client) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            if http.get("/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        if time.monotonic() > deadline:
            raise SystemExit("the image does not serve")
        time.sleep(0.2)


if __name__ == "__main__":
    assert DEBIAN.parent.exists(), "make proofs"
    sys.exit(main())
