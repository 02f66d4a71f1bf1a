"""Certificates for the tests of TLS: an authority, and a certificate of this machine that it signed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
import trustme


@dataclass(frozen=True, slots=True)
class Certificates:
    ca: str
    certificate: str
    other_ca: str
    """An authority that has signed nothing."""


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder: Path = tmp_path_factory.mktemp("certificates")
    authority, other = trustme.CA(), trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    other.cert_pem.write_to_path(str(folder / "other.pem"))
    authority.issue_cert("localhost", "127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
        str(folder / "server.pem")
    )
    return Certificates(str(folder / "ca.pem"), str(folder / "server.pem"), str(folder / "other.pem"))
