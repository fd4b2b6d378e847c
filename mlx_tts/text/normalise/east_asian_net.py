"""Addresses of the net and names of files -> words, for languages that are written without blanks."""

from __future__ import annotations

import re

from mlx_tts.text.normalise.engine import Rule, one_of, rule, words_of
from mlx_tts.text.normalise.web_address import parts_behind_host

HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}(?:[A-Za-z]{2,24})"
FILES = words_of("pdf txt md doc docx xls xlsx ppt pptx zip png jpg jpeg gif mp3 mp4 wav csv json html py")


class NetNames:
    """What `EastAsian` says of them. web: the words for marks in addresses."""

    web: dict[str, str]

    def by_digits(self, written: str) -> str:
        raise NotImplementedError

    def addresses(self) -> tuple[Rule, ...]:
        # Letters of the language may follow an address without a blank.
        path = r"(?P<path>/(?:[A-Za-z\d._~%/-]{0,200}[A-Za-z\d/])?)?"
        path += r"(?P<query>\?[A-Za-z\d_.-]{1,40}=(?:[A-Za-z\d._~%/&=+-]{0,400}[A-Za-z\d])?)?"
        path += r"(?P<fragment>#[A-Za-z\d_-]{1,80})?"
        return (
            rule(rf"(?<![A-Za-z\d.@+_-])(?P<user>[A-Za-z0-9][A-Za-z\d_.+-]{{0,63}})@(?P<host>{HOST})(?![A-Za-z\d@])",
                 lambda m: f"{self.marked(m['user'])}{self.web['@']}{self.host(m['host'])}"),
            rule(rf"(?<![A-Za-z\d.@/-])(?:[a-z]{{2,10}}://)?(?:www\.)?(?P<host>{HOST}){path}(?![A-Za-z\d@])",
                 self._url),
            rule(rf"(?P<name>[^\W_]{{1,40}})\.(?P<end>(?i:{one_of(FILES)}))(?![A-Za-z\d])",
                 lambda m: f"{self.marked(m['name'])}{self.web['.']}{self.letters(m['end'])}"),
        )  # fmt: skip

    def _url(self, match: re.Match[str]) -> str | None:
        """A host without a scheme must end as addresses do."""
        known = re.search(
            r"\.(?:com|org|net|io|ai|edu|gov|dev|app|cn|jp|kr|tw|hk|co|uk|de|fr|it|eu|tv|me|info)\Z", match["host"]
        )
        if "://" not in match[0] and not match[0].startswith("www.") and not known:
            return None
        path, query = parts_behind_host((match["path"] or "") + (match["query"] or "") + (match["fragment"] or ""))
        said = self.host(match["host"]) + (self.web["/"] + self.marked(path) if path else "")
        return said + self.marked(query)

    def host(self, host: str) -> str:
        *names, end = host.split(".")
        parts = [
            self.marked(name) if place == 0 or len(name) > 3 else self.letters(name) for place, name in enumerate(names)
        ]
        return self.web["."].join([*parts, self.letters(end)])

    def letters(self, written: str) -> str:
        """A short name that is said letter by letter."""
        return written if len(written) > 3 else " ".join(written.upper())

    def marked(self, written: str) -> str:
        said = re.sub(
            r"[^\w\s]|_", lambda mark: self.web.get(f"in address {mark[0]}") or self.web.get(mark[0], " "), written
        )
        return re.sub(r"\d+", lambda number: self.by_digits(number[0]), said)
