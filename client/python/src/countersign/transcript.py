"""What a caller of the vault signs, and the headers that carry it.

The assertion is Ed25519 over the SHA-256 of: a version byte (1); method, path, query, body and credential, each after
its length (4 bytes, little-endian); the timestamp (8 bytes, little-endian, ms); the nonce (8 bytes). docs of the vault:
docs/start/first-signature.md; worked cases: test/vectors/transcript.json.
"""

from __future__ import annotations

import base64
import hashlib
import os
import struct

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_VERSION = 1


def transcript_digest(
    method: str,
    path: str,
    query: str,
    body: bytes,
    credential: str,
    timestamp_ms: int,
    nonce: bytes,
) -> bytes:
    """32 bytes. Strings as they stand on the wire; `query` without `?`; `nonce` of 8 bytes."""
    if len(nonce) != 8:
        raise ValueError("a nonce has 8 bytes")
    fields = [method.encode(), path.encode(), query.encode(), body, credential.encode()]
    hashed = hashlib.sha256(bytes([_VERSION]))
    for field in fields:
        hashed.update(struct.pack("<I", len(field)) + field)
    hashed.update(struct.pack("<Q", timestamp_ms) + nonce)
    return hashed.digest()


def authentication_headers(
    private_key: Ed25519PrivateKey,
    api_key: str,
    method: str,
    target: str,
    body: bytes,
    timestamp_ms: int,
    nonce: bytes | None = None,
) -> dict[str, str]:
    """The four headers of one request. `target`: path and query as they go on the wire."""
    chosen = os.urandom(8) if nonce is None else nonce
    path, _, query = target.partition("?")
    digest = transcript_digest(method, path, query, body, api_key, timestamp_ms, chosen)
    assertion = base64.urlsafe_b64encode(private_key.sign(digest)).rstrip(b"=")
    return {
        "authorization": f"ApiKey {api_key}",
        "x-request-nonce": chosen.hex(),
        "x-request-timestamp": struct.pack("<Q", timestamp_ms).hex(),
        "x-request-assertion": assertion.decode(),
    }
