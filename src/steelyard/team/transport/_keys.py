"""An authority for one team, and a certificate for each robot; private keys are for their owner's eyes only."""

import datetime
import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.errors import BadInput
from steelyard.team.transport._tuning import TUNING
from steelyard.team.transport._zenoh_config import KeyFiles

_AUTHORITY = "authority"


def key_files(folder: Path, robot: str) -> KeyFiles:
    """Where a robot's keys are; `BadInput` where they are not, or where others may read them."""
    files = KeyFiles(folder / f"{_AUTHORITY}.crt", folder / f"{robot}.crt", folder / f"{robot}.key")
    for path in (files.authority, files.certificate, files.private):
        if not path.is_file():
            raise BadInput(f"{path} does not exist; make the keys with steelyard team keys TEAM.toml.")
    if os.name == "posix" and files.private.stat().st_mode & 0o077:
        raise BadInput(f"{files.private} can be read by others; make it yours alone with chmod 600.")
    return files


def make_keys(folder: Path, team: str, hosts: Mapping[str, str]) -> list[Path]:
    """Makes an authority unless there is one, and a certificate for each robot that has none; the files made.

    `hosts` is by robot where it listens, a name or an address; its certificate holds for that host alone.
    """
    x509, hashes, serialization, ec, oid = _cryptography()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    made: list[Path] = []
    authority, authority_key = folder / f"{_AUTHORITY}.crt", folder / f"{_AUTHORITY}.key"
    if authority.exists() != authority_key.exists():
        there, gone = (authority, authority_key) if authority.exists() else (authority_key, authority)
        raise BadInput(f"{there} is there but {gone} is not; put it back, or start anew in an empty folder.")

    def name(common: str) -> Any:
        return x509.Name([x509.NameAttribute(oid.ORGANIZATION_NAME, team), x509.NameAttribute(oid.COMMON_NAME, common)])

    def certificate(subject: Any, public: Any, issuer: Any, signer: Any, extensions: list[tuple[Any, bool]]) -> Any:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=365 * TUNING.certificate_years))
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(signer, hashes.SHA256())

    def write(path: Path, certificate: Any, private: Any) -> None:
        _write_private(
            path.with_suffix(".key"),
            private.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            ),
        )
        path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        made.extend([path, path.with_suffix(".key")])

    if authority.exists():
        root = x509.load_pem_x509_certificate(authority.read_bytes())
        signer = serialization.load_pem_private_key(authority_key.read_bytes(), None)
    else:
        signer = ec.generate_private_key(ec.SECP256R1())
        subject = name(f"{team} authority")
        root = certificate(
            subject, signer.public_key(), subject, signer, [(x509.BasicConstraints(ca=True, path_length=0), True)]
        )
        write(authority, root, signer)
    usages = x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH, x509.ExtendedKeyUsageOID.CLIENT_AUTH])
    for robot, host in hosts.items():
        path = folder / f"{robot}.crt"
        if path.exists():
            continue
        own = ec.generate_private_key(ec.SECP256R1())
        extensions = [
            (x509.BasicConstraints(ca=False, path_length=None), True),
            (usages, False),
            (x509.SubjectAlternativeName([_alternative(x509, host)]), False),
        ]
        write(path, certificate(name(robot), own.public_key(), root.subject, signer, extensions), own)
    return made


def _alternative(x509: Any, host: str) -> Any:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _write_private(path: Path, data: bytes) -> None:
    """Never readable by others, not even for a moment."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _cryptography() -> tuple[Any, Any, Any, Any, Any]:
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
    except ImportError:
        raise BadInput('Keys are made with cryptography, which is missing: pip install "steelyard[team]".') from None
    return x509, hashes, serialization, ec, x509.NameOID
