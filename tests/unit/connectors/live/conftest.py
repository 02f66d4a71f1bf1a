"""Certificates for the tests of TLS."""

from __future__ import annotations

import pytest

from tests.certificates import Certificates, certificates_in


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return certificates_in(tmp_path_factory.mktemp("certificates"))
