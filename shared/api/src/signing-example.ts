/**
 * One signed request, worked out: the guide to signing shows it. The key pair is TEST 1 of RFC 8032, section 7.1,
 * which everybody knows, so no caller has it.
 */
export const SIGNING_EXAMPLE = {
  method: 'POST',
  path: '/v1/users/freeze',
  query: 'user_ids=1,2',
  body: '{"reason":"test"}',
  credential: '0b4f3c1e-7a52-8d3e-9c41-5e6f7a8b9c0d',
  timestampMs: 1_700_000_000_000,
  timestampHeader: '0068e5cf8b010000',
  nonceHeader: '0001020304050607',
  /** SHA-256 of the transcript, hex. */
  digestHex: '45fcbd1cf144ae4b422bf057bbd145d067cc653e34297790fd6f6a1a4da05d65',
  privateKeyHex: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  publicKeyHex: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  /** Ed25519 signature over the digest, base64url. */
  assertion:
    'CffEU_v_yQAxjUXUw6nqvfwLC868vi7CKsKe2uSdJ1QYknD4ry3RNwnQT5dRCXKPaCrz-E69v3uYYeAeSYFgDg',
} as const;
