"""Bodies that a service sent compressed are read as an HTTP library reads them."""

from __future__ import annotations

import gzip
import sys
import types
import zlib
from itertools import pairwise

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.providers.transports import Decoder, NotDecoded

TEXT = '{"text": "Grüße"}'.encode() * 40


def _raw(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKED = {
    "": TEXT,
    "identity": TEXT,
    "gzip": gzip.compress(TEXT, mtime=0),
    "x-gzip": gzip.compress(TEXT, mtime=0),
    "deflate": zlib.compress(TEXT),
    "Deflate": _raw(TEXT),
    "deflate, gzip": gzip.compress(zlib.compress(TEXT), mtime=0),
}


@given(st.sampled_from(sorted(PACKED)), st.lists(st.integers(0, 200), max_size=5))
def test_a_body_is_decoded_however_it_is_cut(codings: str, cuts: list[int]) -> None:
    """Together the pieces are the body, and the end holds nothing back."""
    packed, decoder = PACKED[codings], Decoder(codings)
    places = [0, *sorted(min(cut, len(packed)) for cut in cuts), len(packed)]
    pieces = [packed[a:b] for a, b in pairwise(places)]
    assert b"".join((*map(decoder.decode, pieces), decoder.flush())) == TEXT
    assert decoder.decodes == (codings not in ("", "identity"))


@pytest.mark.parametrize("codings", ["gzip", "deflate"])
def test_what_is_not_in_its_coding_is_told(codings: str) -> None:
    """No garbage is taken for a body."""
    with pytest.raises(NotDecoded):
        Decoder(codings).decode(b"no such thing" * 9)
    with pytest.raises(httpx2.DecodingError):
        httpx2.Response(
            200, headers={"content-encoding": codings}, content=b"no such thing" * 9
        )


class Fault(Exception):
    pass


class Unpacking:
    """A decompressor of a package that is not installed here."""

    def decompressobj(self) -> Unpacking:
        return self

    def decompress(self, data: bytes) -> bytes:
        if not data.isupper():
            raise Fault
        return data.lower()


@pytest.mark.parametrize(
    ("coding", "package", "names"),
    [
        ("br", "brotli", {"Decompressor": Unpacking, "error": Fault}),
        ("zstd", "zstandard", {"ZstdDecompressor": Unpacking, "ZstdError": Fault}),
        ("zstd", "backports.zstd", {"ZstdDecompressor": Unpacking, "ZstdError": Fault}),
    ],
)
def test_packages_for_other_codings_are_taken_where_they_are(
    monkeypatch: pytest.MonkeyPatch, coding: str, package: str, names: dict[str, object]
) -> None:
    """As the libraries do it; without one the body stays as it is."""
    for other in ("brotli", "brotlicffi", "compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, other, None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    without = Decoder(coding)
    assert (without.decodes, without.decode(b"ABC")) == (False, b"ABC")
    module = types.ModuleType(package)
    vars(module).update(names)
    monkeypatch.setitem(sys.modules, package, module)
    decoder = Decoder(coding)
    assert decoder.decode(b"ABC") + decoder.flush() == b"abc"
    with pytest.raises(NotDecoded):
        decoder.decode(b"abc")
