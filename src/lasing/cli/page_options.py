"""Options that say where a page is served, and who may open it."""

from __future__ import annotations

from typing import Annotated

import typer

from lasing.connectors.live.secrets import secret_from
from lasing.serve.server import checked_address, need_server
from lasing.serve.settings import Address

HostOption = Annotated[
    str,
    typer.Option("--host", metavar="HOST", help="Listen at this address; other machines then need a token."),
]
PortOption = Annotated[int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="0 takes any free port.")]
TokenFile = Annotated[
    str,
    typer.Option(
        "--token-file",
        metavar="FILE",
        help="Ask for the token in this file, also on this machine [default: with --host, a new one at each start].",
        show_default=False,
    ),
]
CertificateOption = Annotated[
    str,
    typer.Option("--certificate", metavar="FILE", help="Use TLS, with this certificate.", show_default=False),
]
KeyOption = Annotated[
    str, typer.Option("--key", metavar="FILE", help="The key of the certificate.", show_default=False)
]


def address_from(host: str, port: int, token_file: str, certificate: str, key: str) -> Address:
    """The address that the options give."""
    need_server()
    token, _ = secret_from({"token_file": token_file or None}, "token", "--token-file")
    return checked_address(host, port, None if token is None else token.reveal(), certificate, key)
