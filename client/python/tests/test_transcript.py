"""The vectors that every implementation of the transcript is held to."""

import base64
import json
import pathlib
import unittest

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from countersign.transcript import authentication_headers, transcript_digest

VECTORS = pathlib.Path(__file__).parents[3] / "test" / "vectors" / "transcript.json"
CASES = json.loads(VECTORS.read_text())["cases"]


def body_of(case: dict) -> bytes:
    repeated = case.get("body_repeat")
    if repeated is not None:
        return bytes.fromhex(repeated["byte_hex"]) * repeated["count"]
    return bytes.fromhex(case["body_hex"])


class TranscriptTest(unittest.TestCase):
    def test_is_the_one_of_the_vectors(self) -> None:
        self.assertGreater(len(CASES), 3)
        for case in CASES:
            with self.subTest(case["name"]):
                digest = transcript_digest(
                    case["method"],
                    case["path"],
                    case["query"],
                    body_of(case),
                    case["credential"],
                    int(case["timestamp_ms"]),
                    bytes.fromhex(case["nonce_header"]),
                )
                self.assertEqual(digest.hex(), case["sha256_hex"])

    def test_headers_carry_what_was_signed(self) -> None:
        key = Ed25519PrivateKey.generate()
        case = CASES[0]
        headers = authentication_headers(
            key,
            case["credential"],
            case["method"],
            case["path"],
            b"",
            int(case["timestamp_ms"]),
            bytes.fromhex(case["nonce_header"]),
        )
        self.assertEqual(headers["x-request-timestamp"], case["timestamp_header"])
        self.assertEqual(headers["x-request-nonce"], case["nonce_header"])
        assertion = base64.urlsafe_b64decode(headers["x-request-assertion"] + "==")
        key.public_key().verify(assertion, bytes.fromhex(case["sha256_hex"]))

    def test_a_nonce_has_eight_bytes(self) -> None:
        with self.assertRaises(ValueError):
            transcript_digest("GET", "/", "", b"", "x", 1, b"1234567")


if __name__ == "__main__":
    unittest.main()
