"""A server for tests whose clients may hang up: a broken connection writes nothing to the error stream.

Its threads outlive a test by a moment, so such a line would stand in what the next test captured.
"""

import sys
from http.server import ThreadingHTTPServer


class CalmServer(ThreadingHTTPServer):
    def serve_forever(self, poll_interval=0.01):
        super().serve_forever(poll_interval)  # `shutdown` waits for the next poll: half a second, unless it is told

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
