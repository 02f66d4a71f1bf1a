"""TLS: on by default when another machine is named, with the system's certificates or those that you give."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lasing.errors import Diagnostic, LasingError, fault

TLS_KEYS: dict[str, tuple[type, ...]] = {"tls": (bool,), "ca": (str,), "certificate": (str,), "key": (str,)}
"""The keys of TLS in settings: whether to use it; whom to trust; how to prove who we are."""


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """Whether to use TLS (None: if another machine is named), and its files."""

    tls: bool | None = None
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any], where: str) -> TlsSettings:
        """The settings of TLS among others."""
        found = cls(*(settings.get(key) for key in TLS_KEYS))
        files = [key for key in ("ca", "certificate", "key") if settings.get(key) is not None]
        if found.tls is False and files:
            raise fault("E524", f"{where}: {files[0]} is for TLS, but tls = false", note="leave one of them out")
        if found.key is not None and found.certificate is None:
            raise fault("E524", f"{where}: a key needs its certificate", note='certificate = "FILE"')
        return found


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, as far as its name says.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "broker.example.org", "0.0.0.0")]
    [True, True, True, False, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def uses_tls(host: str, settings: TlsSettings, by_default: bool = True) -> bool:
    """Whether a connection to a host uses TLS."""
    if settings.tls is not None:
        return settings.tls
    return settings.ca is not None or settings.certificate is not None or (by_default and not is_loopback(host))


def unprotected(host: str, settings: TlsSettings, where: str) -> list[Diagnostic]:
    """A warning, if someone chose a connection to another machine without TLS."""
    if settings.tls is not False or is_loopback(host):
        return []
    message = f"{where}: without TLS, others on the way to {host} can read and change what is sent"
    return [Diagnostic("W213", message, note="leave tls = false out")]


def client_context(settings: TlsSettings, where: str) -> ssl.SSLContext:
    """How to check the other side: by the authorities of the system, or by those in the file `ca`."""
    try:
        context = ssl.create_default_context(cafile=settings.ca)
    except (OSError, ssl.SSLError) as error:
        raise _unusable(where, "ca", settings.ca, error) from None
    _present(context, settings, where)
    return context


def server_context(settings: TlsSettings, where: str) -> ssl.SSLContext:
    """How to show who we are; with `ca`, clients have to show that too."""
    if settings.certificate is None:
        note = 'certificate = "FILE" and key = "FILE"; or tls = false, if a proxy in front of it has TLS'
        raise fault("E524", f"{where}: listening with TLS needs a certificate", note=note)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    if settings.ca is not None:
        try:
            context.load_verify_locations(settings.ca)
        except (OSError, ssl.SSLError) as error:
            raise _unusable(where, "ca", settings.ca, error) from None
        context.verify_mode = ssl.CERT_REQUIRED
    _present(context, settings, where)
    return context


def tls_failure(error: ssl.SSLError, where: str) -> LasingError | None:
    """The error for a connection that TLS refuses for good; None if another attempt may succeed."""
    if isinstance(error, ssl.SSLCertVerificationError):
        note = 'if its certificate is your own, name whoever signed it: ca = "FILE"'
        return fault("E521", f"{where}: the certificate is not accepted: {error.verify_message}", note=note)
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError | ssl.SSLWantReadError | ssl.SSLWantWriteError):
        return None
    reason = (error.reason or str(error)).lower().replace("_", " ")
    note = "does the other side speak TLS on this port, and does it accept our certificate?"
    return fault("E521", f"{where}: TLS failed: {reason}", note=note)


def _present(context: ssl.SSLContext, settings: TlsSettings, where: str) -> None:
    if settings.certificate is None:
        return
    try:
        context.load_cert_chain(settings.certificate, settings.key, password=_no_password)
    except (OSError, ssl.SSLError) as error:
        raise _unusable(where, "certificate", settings.certificate, error) from None


def _no_password() -> str:
    return ""  # otherwise OpenSSL would ask on the terminal


def _unusable(where: str, key: str, file: str | None, error: OSError) -> LasingError:
    reason = (error.strerror or str(error)) if not isinstance(error, ssl.SSLError) else (error.reason or str(error))
    note = "it is a PEM file" + ("; its key is there too, or in `key`, without a password" if key != "ca" else "")
    return fault("E521", f"{where}: {key}: {file} cannot be used: {reason}", note=note)
