"""--url: a page from a server on this machine, its limits, redirects, and what is refused."""

import http.server
import socket
import threading
import time
from dataclasses import replace
from urllib.parse import unquote

import pytest

from mlx_tts.cli import run
from mlx_tts.errors import DownloadError, RequestError
from mlx_tts.text.source import web
from mlx_tts.text.source.blocks import Asides
from mlx_tts.text.source.web import fetch_document
from tests.helpers.http_server import CalmServer

PAGE = (
    b"<html><head><title>News</title></head><body><nav>Menu</nav>"
    b"<p>Caf\xc3\xa9 open.</p><script>x</script></body></html>"
)


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        place = self.path.partition("?")[0]
        if place == "/slow":
            time.sleep(5)
        if place.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", unquote(self.path[4:]).replace("~", ":"))
            self.end_headers()
            return
        kind, data, more = {
            "/": ("text/html; charset=utf-8", PAGE, {}),
            "/notes.md": ("text/markdown", b"Text.[^1]\n\n[^1]: Note.", {}),
            "/plain": ("text/plain", b"Plain text.", {}),
            "/sound": ("audio/mpeg", b"ID3", {}),
            "/packed": ("text/html", b"\x1f\x8b", {"Content-Encoding": "gzip"}),
            "/large": ("text/plain", b"word " * 1000, {}),
        }.get(place, ("", b"", {}))
        self.send_response(200 if kind else 404)
        for name, value in {"Content-Type": kind or "text/html", **more}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def site():
    with CalmServer(("127.0.0.1", 0), Site) as server:
        server.asked = []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        server.address = f"http://127.0.0.1:{server.server_port}"
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_a_page_is_read_as_a_file_would_be(site):
    document = fetch_document(f"{site.address}/?a=b c".replace(" ", "%20"))
    assert (document.title, document.chapters[0].text) == ("News", "Café open.")
    assert site.asked == ["/?a=b%20c"]
    assert fetch_document(f"{site.address}/plain").chapters[0].text == "Plain text."
    assert fetch_document(f"{site.address}/notes.md", Asides(footnotes=True)).chapters[0].text == "Text.\n\nNote."


def test_the_command_reads_an_address_and_asks_for_nothing_twice(site, capfd):
    assert run(("speak", "--url", f"{site.address}/", "--dry-run", "--model", "tiny")) == 0
    assert capfd.readouterr().out == "Café open.\n"
    assert site.asked == ["/"]
    assert run(("speak", "Hello.", "--url", f"{site.address}/", "--dry-run", "--model", "tiny")) == 2
    assert run(("speak", "Hello.", "--footnotes", "loud", "--dry-run", "--model", "tiny")) == 2
    lines = capfd.readouterr().err.splitlines()
    assert lines == [
        "mlx-tts: both a text and --url were given: give one of them",
        "mlx-tts: --footnotes is 'loud': use skip or read",
    ]
    assert site.asked == ["/"]


@pytest.mark.parametrize(
    ("path", "error", "said"),
    [
        ("/none", DownloadError, "answers 404"),
        ("/sound", RequestError, "is 'audio/mpeg', which is neither a page nor a text"),
        ("/packed", RequestError, "sends the page packed"),
        ("/to//to//to//to//to//to//to//", DownloadError, "a private address|sends on more than"),
    ],
)
def test_what_cannot_be_read_is_one_line(site, path, error, said):
    with pytest.raises(error, match=said):
        fetch_document(site.address + path)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_a_redirect_to_a_private_address_is_refused_and_not_asked(site, host):
    with pytest.raises(DownloadError, match="a private address: that is refused"):
        fetch_document(f"{site.address}/to/http~//{host}~{site.server_port}/")
    assert len(site.asked) == 1


def test_redirects_among_public_addresses_are_followed_to_an_end(site, monkeypatch):
    monkeypatch.setattr(web, "is_public", lambda _address: True)
    assert fetch_document(f"{site.address}/to//to//").chapters[0].text == "Café open."
    with pytest.raises(DownloadError, match="sends on more than 5 times"):
        fetch_document(site.address + "/to/" * 7)


@pytest.mark.parametrize(
    ("address", "public"),
    [("8.8.8.8", True), ("2606:4700::1111", True), ("192.168.1.1", False), ("100.64.0.1", False), ("0.0.0.0", False),
     ("fe80::1%eth0", False), ("fd00::1", False), ("224.0.0.1", False), ("::ffff:10.0.0.1", False)],
)  # fmt: skip
def test_which_addresses_everybody_can_reach(address, public):
    assert web.is_public(address) is public


@pytest.mark.timed
def test_limits_of_size_and_time(site, monkeypatch):
    monkeypatch.setattr(web.budget, "FETCHED_BYTES", replace(web.budget.FETCHED_BYTES, most=1000))
    with pytest.raises(RequestError, match="sends more than 1,000 bytes: that is refused"):
        fetch_document(f"{site.address}/large")
    monkeypatch.setattr(web.budget, "FETCH_SECONDS", replace(web.budget.FETCH_SECONDS, most=1))
    start = time.monotonic()
    with pytest.raises(DownloadError, match="took longer than"):
        fetch_document(f"{site.address}/slow")
    assert time.monotonic() - start < 4


@pytest.mark.parametrize(
    "url",
    ["", "news", "file:///etc/passwd", "ftp://a/b", "http://", "http://a:99999/", "https://a b/", "http://a\x1b/",
     "http://[::1", "x" * 3000, "gopher://127.0.0.1/"],
)  # fmt: skip
def test_what_is_no_address_is_refused(url):
    with pytest.raises(RequestError, match="is not an address of the web"):
        fetch_document(url)


def test_a_name_and_password_are_refused():
    with pytest.raises(RequestError, match="has a name or password"):
        fetch_document("https://me:secret@example.com/")


def test_without_a_network_it_is_one_line(monkeypatch):
    def nowhere(*_arguments, **_more):
        raise socket.gaierror(-3, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    with pytest.raises(
        DownloadError, match=r"no connection to example\.com \(Temporary failure in name resolution\): "
    ):
        fetch_document("https://example.com/")


@pytest.mark.timed
def test_a_head_that_trickles_ends_in_time(monkeypatch):
    monkeypatch.setattr(web.budget, "FETCH_SECONDS", replace(web.budget.FETCH_SECONDS, most=1))
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def trickle():
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                    for _ in range(100):
                        connection.sendall(b"x")
                        time.sleep(0.1)
                except OSError:
                    return

        threading.Thread(target=trickle, daemon=True).start()
        begin = time.monotonic()
        with pytest.raises(DownloadError, match="took longer than 1 s"):
            fetch_document(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        assert time.monotonic() - begin < 4
