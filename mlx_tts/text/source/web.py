"""An address of the web -> its document: fetched once, only when asked, within limits of size, time and place.

What the user names may stand anywhere, on this machine too. A page may send on to another one only where everybody
could go: a redirect to a private address would let a stranger's page look around in the user's own network.
"""

from __future__ import annotations

import ipaddress
import re
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from mlx_tts.errors import DownloadError, RequestError
from mlx_tts.files import budget
from mlx_tts.shortened import shortened, shown
from mlx_tts.text.source.blocks import NO_ASIDES, Asides, Document

STEP_SECONDS = 10.0  # for each answer; all of it has budget.FETCH_SECONDS
MOST_REDIRECTS = 5
LONGEST_URL = 2000
SAFE = "/%:@!$&'()*+,;=~?"  # what stays as it is in a path and a query
REDIRECTS = (301, 302, 303, 307, 308)
ENDINGS = {"text/html": ".html", "application/xhtml+xml": ".html", "text/markdown": ".md", "text/x-markdown": ".md",
           "text/plain": ".txt"}  # fmt: skip


@dataclass(frozen=True)
class _Answer:
    status: int
    location: str | None
    kind: str
    data: bytes


def fetch_document(url: str, asides: Asides = NO_ASIDES) -> Document:
    """RequestError: no address, or nothing to read aloud. DownloadError: it cannot be had."""
    from mlx_tts.text.source.documents import decode, text_document

    deadline, here = time.monotonic() + budget.FETCH_SECONDS.allowed, url
    for step in range(MOST_REDIRECTS + 1):
        answer = _get(_checked(here), deadline, everywhere=step == 0)
        if answer.status in REDIRECTS and answer.location:
            here = urljoin(here, answer.location)
            continue
        if answer.status != 200:
            raise DownloadError(
                f"{shortened(here, 200)} answers {answer.status}: check the address, or save the page for --file"
            )
        ending = ENDINGS.get(answer.kind or "text/html")
        if ending is None:
            raise RequestError(
                f"{shortened(here, 200)} is {shown(answer.kind, 50)}, which is neither a page nor a text: "
                "save it and give it with --file"
            )
        return text_document(decode(answer.data, here[:200]), ending, asides, here[:200])
    raise DownloadError(
        f"{shortened(url, 200)} sends on more than {MOST_REDIRECTS} times: save the page and give it with --file"
    )


def _checked(url: str) -> SplitResult:
    if len(url) > LONGEST_URL or not url.isprintable() or " " in url:
        raise RequestError(f"--url {shown(url, 100)} is not an address of the web: give one that begins with https://")
    try:
        parts = urlsplit(url)
        port_is_right = parts.port is None or parts.port > 0
    except ValueError:
        port_is_right, parts = False, urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_right:
        raise RequestError(f"--url {shown(url, 100)} is not an address of the web: give one that begins with https://")
    if parts.username is not None:
        raise RequestError("--url has a name or password in it: save the page and give it with --file")
    return parts


def _get(parts: SplitResult, deadline: float, everywhere: bool) -> _Answer:
    """One request. everywhere: private addresses too."""
    import http.client
    import ssl

    host, is_secret = str(parts.hostname), parts.scheme == "https"
    port = parts.port or (443 if is_secret else 80)
    connection = (http.client.HTTPSConnection if is_secret else http.client.HTTPConnection)(host, port)
    # Each byte of a head that trickles would have the time of a step: after all of the time the connection is ended.
    watch = threading.Timer(max(0.0, deadline - time.monotonic()), end_connection, [connection])
    watch.daemon = True
    watch.start()
    try:
        # The address that was checked is the one that is used: a name may lead elsewhere when it is asked again.
        connection.sock = _connect(host, port, deadline, everywhere)
        if is_secret:
            connection.sock = ssl.create_default_context().wrap_socket(connection.sock, server_hostname=host)
        target = quote(parts.path or "/", safe=SAFE) + (f"?{quote(parts.query, safe=SAFE)}" if parts.query else "")
        headers = {"User-Agent": "mlx-tts", "Accept": "text/html, text/markdown, text/plain",
                   "Accept-Encoding": "identity"}  # fmt: skip
        connection.request("GET", target, headers=headers)
        response = connection.getresponse()
        kind = re.split(r"[;,]", response.headers.get("Content-Type") or "")[0].strip().lower()
        location = response.headers.get("Location")
        data = b"" if response.status != 200 else _body(response, connection.sock, deadline, host)
        return _Answer(response.status, location, kind, data)
    except ssl.SSLCertVerificationError as error:
        raise DownloadError(
            f"{host} cannot prove that it is {host} ({error.verify_message}): nothing was read"
        ) from None
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
            raise DownloadError(
                f"{budget.FETCH_SECONDS.refusal(host)}: try again, or save the page for --file"
            ) from None
        raise DownloadError(
            f"no connection to {host} ({plain_reason(error)}): check the network and the address"
        ) from None
    finally:
        watch.cancel()
        connection.close()


def end_connection(connection: Any) -> None:
    """Wake a thread that reads from a connection; its socket is closed by that thread."""
    import socket

    with suppress(OSError, AttributeError):  # it was never made, or is over
        connection.sock.shutdown(socket.SHUT_RDWR)


def _connect(host: str, port: int, deadline: float, everywhere: bool) -> Any:
    import socket

    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise OSError(plain_reason(error)) from None
    addresses = [str(entry[4][0]) for entry in found]
    private = [address for address in addresses if not is_public(address)]
    if private and not everywhere:
        raise DownloadError(f"the page sends on to {host}, a private address: that is refused")
    return socket.create_connection((addresses[0], port), timeout=_left(deadline))


def is_public(address: str) -> bool:
    """Whether an IP address is of the internet, and not of this machine or a network around it."""
    number = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(number, "ipv4_mapped", None)
    return (mapped or number).is_global and not number.is_multicast


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return min(left, STEP_SECONDS)


def _body(response: Any, sock: Any, deadline: float, host: str) -> bytes:
    if response.headers.get("Content-Encoding", "identity").lower() not in ("identity", ""):
        raise RequestError(f"{host} sends the page packed: save it and give it with --file")
    parts, size = [], 0
    while data := response.read1(65_536):
        parts.append(data)
        size += len(data)
        budget.FETCHED_BYTES.check(size, host)
        left = _left(deadline)
        if sock is not None and sock.fileno() >= 0:
            sock.settimeout(left)
    _left(deadline)  # what was ended for its time looks like the end of the page
    return b"".join(parts)


def plain_reason(error: BaseException) -> str:
    """One line without control characters: a stranger may have written it."""
    text = str(getattr(error, "strerror", None) or error) or type(error).__name__
    return shortened("".join(c for c in text if c.isprintable()), 100)
