"""Certificates for the tests of TLS: an authority, and a certificate of this machine that it signed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import trustme


@dataclass(frozen=True, slots=True)
class Certificates:
    ca: str
    certificate: str
    other_ca: str
    """An authority that has signed nothing."""


def certificates_in(folder: Path) -> Certificates:
    """New certificates, in files of a folder."""
    authority, other = trustme.CA(), trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    other.cert_pem.write_to_path(str(folder / "other.pem"))
    authority.issue_cert("localhost", "127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
        str(folder / "server.pem")
    )
    return Certificates(str(folder / "ca.pem"), str(folder / "server.pem"), str(folder / "other.pem"))
