"""Debian's slapd with a company in it, on loopback, over TLS and without."""

import os
import shutil
import socket
import subprocess
import time
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.processes import free_port

HOUSE = Path(__file__).parents[3]
ROOT = HOUSE / ".venv" / "slapd-debian"
BASE = "dc=acme,dc=test"
READER = f"cn=reader,{BASE}"
PASSWORD = "what only the directory knows"
READER_PASSWORD = "what the reader knows"
LDIF = f"""
dn: {BASE}
objectClass: dcObject
objectClass: organization
dc: acme
o: Acme

dn: ou=people,{BASE}
objectClass: organizationalUnit
ou: people

dn: ou=groups,{BASE}
objectClass: organizationalUnit
ou: groups

dn: {READER}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: {READER_PASSWORD}

dn: uid=ada,ou=people,{BASE}
objectClass: inetOrgPerson
uid: ada
cn: Ada Lovelace
sn: Lovelace
givenName: Ada
mail: ada@acme.test
userPassword: {PASSWORD}

dn: uid=ben,ou=people,{BASE}
objectClass: inetOrgPerson
uid: ben
cn: Ben (the \\2a) Star
sn: Star
mail: shared@acme.test
userPassword: {PASSWORD}

dn: uid=carl,ou=people,{BASE}
objectClass: inetOrgPerson
uid: carl
cn: Carl
sn: Carl
mail: shared@acme.test
userPassword: {PASSWORD}

dn: cn=engines,ou=groups,{BASE}
objectClass: groupOfNames
cn: engines
member: uid=ada,ou=people,{BASE}

dn: cn=everybody,ou=groups,{BASE}
objectClass: groupOfNames
cn: everybody
member: cn=engines,ou=groups,{BASE}
member: cn=circle,ou=groups,{BASE}

dn: cn=circle,ou=groups,{BASE}
objectClass: groupOfNames
cn: circle
member: cn=everybody,ou=groups,{BASE}

dn: cn=strangers,ou=groups,{BASE}
objectClass: groupOfNames
cn: strangers
member: uid=carl,ou=people,{BASE}
"""


def is_here() -> bool:
    return (ROOT / "usr/sbin/slapd").exists()


def _certificate(folder: Path) -> str:
    """Writes a key and a certificate for 127.0.0.1, and returns the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "directory.acme.test")])
    names = [x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName("localhost")]
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    (folder / "cert.pem").write_bytes(pem)
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        )
    )
    return pem.decode()


class Slapd:
    """The server; `url` begins TLS by StartTLS, and `tls_url` has it from the start."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"ldap://127.0.0.1:{free_port()}"
        self.tls_url = f"ldaps://127.0.0.1:{free_port()}"
        self.certificate = _certificate(folder)
        libraries = ROOT / "usr/lib" / f"{os.uname().machine}-linux-gnu"
        self._env = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        schema, data = ROOT / "etc/ldap/schema", self.folder / "data"
        data.mkdir()
        lines = [
            *(f"include {schema}/{name}.schema" for name in ("core", "cosine", "inetorgperson")),
            f"modulepath {ROOT}/usr/lib/ldap",
            "moduleload back_mdb",
            f"TLSCertificateFile {self.folder}/cert.pem",
            f"TLSCertificateKeyFile {self.folder}/key.pem",
            "database mdb",
            f'suffix "{BASE}"',
            f"directory {data}",
            "maxsize 10485760",
            "access to attrs=userPassword by anonymous auth by * none",
            f'access to * by dn="{READER}" read by anonymous auth by * none',
        ]
        config, ldif = self.folder / "slapd.conf", self.folder / "company.ldif"
        config.write_text("\n".join(lines) + "\n")
        ldif.write_text(LDIF)
        # slapadd is slapd under another name.
        added = [str(ROOT / "usr/sbin/slapd"), "-Tadd", "-f", str(config), "-l", str(ldif)]
        subprocess.run(added, env=self._env, check=True, capture_output=True)
        served = [str(ROOT / "usr/sbin/slapd"), "-d0", "-f", str(config), "-h", f"{self.url} {self.tls_url}"]
        self._process = subprocess.Popen(served, env=self._env)
        self._wait()

    def _wait(self) -> None:
        port = int(self.url.rpartition(":")[2])
        for _ in range(6000):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.01)
        raise RuntimeError("slapd does not listen")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
        shutil.rmtree(self.folder, ignore_errors=True)
