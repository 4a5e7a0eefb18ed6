import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Evidence } from '@countersign/core/evidence.js';
import { openEvidence } from '@countersign/core/evidence.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import {
  decodeEntryBody,
  encodeAttestation,
  encodeEvidenceEntry,
  encodeEvidenceKey,
  encodeGenesis,
  encodeKeyRefusal,
  encodeRecipient,
  entryHash,
  GENESIS_PREV_HASH,
  type Genesis,
  type EvidenceKeyAttestation,
  type KeyAttestation,
  type KeyRefusal,
  type RecipientAttestation,
} from './entry.js';

const AT = 1_767_614_400_000;
const keys = createEvidenceKeys([randomBytes(32)]);

const genesis: Genesis = {
  vault_id: randomUUID(),
  parties: ([1, 2, 3] as const).map((party) => ({
    party,
    identity_public_key: randomBytes(32).toString('base64'),
    exchange_public_key: randomBytes(32).toString('base64'),
  })),
  evidence_key_ids: [randomBytes(8).toString('hex')],
  users: [
    {
      id: randomUUID(),
      display_name: 'Administrator',
      public_key: randomBytes(32).toString('base64'),
      api_key_sha256: randomBytes(32).toString('hex'),
    },
  ],
  admin_policies: [
    { id: randomUUID(), display_name: 'All', action: 'freeze', user_ids: [randomUUID()] },
  ],
};

const evidence: Evidence = {
  method: 'PUT',
  path: '/v1/vaults/x',
  query: '',
  body: Buffer.from('{}'),
  scheme: 'ApiKey',
  credential: 'credential',
  timestampMs: AT,
  nonce: randomBytes(8),
  assertion: randomBytes(64),
};

const attestation: KeyAttestation = {
  party: 2,
  keyId: randomUUID(),
  session: 'session',
  publicKey: randomBytes(32),
  transcriptHash: randomBytes(32),
  signature: randomBytes(64),
};

const refusal: KeyRefusal = {
  party: 3,
  keyId: randomUUID(),
  reason: 'the part does not fit its commitments — ¡no!',
  signature: randomBytes(64),
};

const recipient: RecipientAttestation = {
  party: 1,
  recipientId: randomUUID(),
  publicKey: randomBytes(32),
  expiresAt: AT + 86_400_000,
  signature: randomBytes(64),
};

const evidenceKey: EvidenceKeyAttestation = {
  party: 2,
  evidenceKeyId: randomBytes(8).toString('hex'),
  signature: randomBytes(64),
};

const bodies = {
  genesis: encodeGenesis(AT, genesis),
  evidence: encodeEvidenceEntry(AT, evidence, keys),
  attestation: encodeAttestation(AT, attestation),
  'key-refusal': encodeKeyRefusal(AT, refusal),
  recipient: encodeRecipient(AT, recipient),
  'evidence-key': encodeEvidenceKey(AT, evidenceKey),
};

describe('an entry body', () => {
  it('of each kind is read back as it was written', () => {
    expect(decodeEntryBody(bodies.genesis)).toEqual({
      appendedAt: AT,
      content: { kind: 'genesis', genesis },
    });
    expect(decodeEntryBody(bodies.attestation)).toEqual({
      appendedAt: AT,
      content: { kind: 'attestation', attestation },
    });
    expect(decodeEntryBody(bodies['key-refusal'])).toEqual({
      appendedAt: AT,
      content: { kind: 'key-refusal', refusal },
    });
    expect(decodeEntryBody(bodies.recipient)).toEqual({
      appendedAt: AT,
      content: { kind: 'recipient', recipient },
    });
    expect(decodeEntryBody(bodies['evidence-key'])).toEqual({
      appendedAt: AT,
      content: { kind: 'evidence-key', evidenceKey },
    });
    const { content } = decodeEntryBody(bodies.evidence);
    expect(content.kind === 'evidence' && openEvidence(content.evidence, keys)).toEqual(evidence);
  });

  it.each([0, 32, 294, 550])('keeps a public key of %d bytes', (length) => {
    const fact = { ...attestation, publicKey: randomBytes(length) };
    const { content } = decodeEntryBody(encodeAttestation(AT, fact));
    expect(content).toEqual({ kind: 'attestation', attestation: fact });
  });

  it.each(['attestation', 'key-refusal', 'recipient', 'evidence-key'] as const)(
    'that is a %s of no party is unreadable',
    (kind) => {
      for (const party of [0, 4, 255]) {
        const body = Buffer.from(bodies[kind]);
        body[9] = party; // after kind, one byte, and date, eight
        expect(() => decodeEntryBody(body)).toThrow('unknown party');
      }
    },
  );

  it.each(Object.entries(bodies))('%s is unreadable when cut at any byte', (_kind, body) => {
    for (let length = 0; length < body.length; length++) {
      expect(() => decodeEntryBody(body.subarray(0, length))).toThrow();
    }
    expect(() => decodeEntryBody(Buffer.concat([body, Buffer.alloc(1)]))).toThrow('trailing');
  });

  it.each([0, 7, 255])('of kind %d is unreadable', (kind) => {
    const body = Buffer.concat([Buffer.from([kind]), bodies.attestation.subarray(1)]);
    expect(() => decodeEntryBody(body)).toThrow('unknown entry kind');
  });

  it.each<[string, unknown]>([
    ['two parties', { ...genesis, parties: genesis.parties.slice(0, 2) }],
    ['no evidence key', { ...genesis, evidence_key_ids: [] }],
    ['half an evidence key', { ...genesis, evidence_key_ids: ['0011'] }],
    ['nobody', { ...genesis, users: [] }],
    ['no policy', { ...genesis, admin_policies: [] }],
    ['a field that none knows', { ...genesis, extra: 1 }],
  ])('that is a genesis with %s is unreadable', (_what, other) => {
    expect(() => decodeEntryBody(encodeGenesis(AT, other as Genesis))).toThrow();
  });
});

describe('the hash of an entry', () => {
  const body = Buffer.from('body');

  it('is the one that the database computes: SHA-256 over 0x01, seq, previous hash, length, body', () => {
    expect(entryHash(1, GENESIS_PREV_HASH, body).toString('hex')).toBe(
      'e617b3c20ad235c723952e5289cd2a822d0877c64aec1e015864839a36afcd64',
    );
  });

  it('changes with sequence number, previous hash and body', () => {
    const hashes = [
      entryHash(1, GENESIS_PREV_HASH, body),
      entryHash(2, GENESIS_PREV_HASH, body),
      entryHash(1, randomBytes(32), body),
      entryHash(1, GENESIS_PREV_HASH, Buffer.from('bodz')),
      entryHash(1, GENESIS_PREV_HASH, Buffer.alloc(0)),
    ];
    expect(new Set(hashes.map((hash) => hash.toString('hex'))).size).toBe(hashes.length);
  });
});
