import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { entryHash } from '@countersign/core/entry-hash.js';
import type { Evidence } from '@countersign/core/evidence.js';
import { openEvidence } from '@countersign/core/evidence.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { MAX_ANCHORED_CHAINS, MAX_REFRESHED_KEYS } from '@countersign/core/party-statements.js';
import {
  decodeEntryBody,
  GENESIS_PREV_HASH,
  MAX_ENTRY_BYTES,
  type Genesis,
  type StatementOf,
} from './entry.js';
import { MAX_TIME_MS } from '@countersign/core/records.js';
import {
  encodeAcknowledgement,
  encodeAnchor,
  encodeAttestation,
  encodeCountersignature,
  encodeEvidenceEntry,
  encodeEvidenceKey,
  encodeEvidenceKeyWithdrawal,
  encodeGenesis,
  encodeKeyRefusal,
  encodeRecipient,
  encodeRefresh,
  encodeSuccessor,
} from './write-entry.js';

const AT = 1_767_614_400_000;
const keys = createEvidenceKeys([randomBytes(32)]);

const genesis: Genesis = {
  vault_id: randomUUID(),
  rules_version: 1,
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

const attestation: StatementOf<'attestation'> = {
  party: 2,
  keyId: randomUUID(),
  session: 'session',
  publicKey: randomBytes(32),
  transcriptHash: randomBytes(32),
  signature: randomBytes(64),
};

const refusal: StatementOf<'key-refusal'> = {
  party: 3,
  keyId: randomUUID(),
  reason: 'the part does not fit its commitments — ¡no!',
  signature: randomBytes(64),
};

const recipient: StatementOf<'recipient'> = {
  party: 1,
  recipientId: randomUUID(),
  publicKey: randomBytes(32),
  expiresAt: AT + 86_400_000,
  signature: randomBytes(64),
};

const evidenceKey: StatementOf<'evidence-key'> = {
  party: 2,
  evidenceKeyId: randomBytes(8).toString('hex'),
  signature: randomBytes(64),
};

const withdrawal: StatementOf<'evidence-key-withdrawal'> = {
  party: 3,
  evidenceKeyId: randomBytes(8).toString('hex'),
  signature: randomBytes(64),
};

const head = { seq: 2 ** 40, hash: randomBytes(32), signature: randomBytes(64) };

const countersignature: StatementOf<'countersignature'> = {
  ...head,
  party: 1,
  at: AT,
  rules: 1,
  newestRules: 4_000_000_000,
};

const acknowledgement: StatementOf<'acknowledgement'> = { ...head, party: 3 };

const anchor: StatementOf<'anchor'> = {
  party: 2,
  chains: [
    { chainId: 'party_2-a', seq: 0, hash: randomBytes(32) },
    { chainId: '', seq: 2 ** 40, hash: randomBytes(32) },
  ],
  signature: randomBytes(64),
};

const confirmation: StatementOf<'successor'> = {
  party: 1,
  replaced: 3,
  identityPublicKey: randomBytes(32),
  exchangePublicKey: randomBytes(32),
  requestHash: randomBytes(32),
  signature: randomBytes(64),
};

const refreshed: StatementOf<'refresh'> = {
  party: 2,
  refresh: 7,
  keys: [1, 2].map(() => ({
    keyId: randomUUID(),
    session: randomBytes(16).toString('hex'),
    transcriptHash: randomBytes(32),
  })),
  signature: randomBytes(64),
};

const bodies = {
  genesis: encodeGenesis(AT, genesis),
  evidence: encodeEvidenceEntry(AT, evidence, keys),
  attestation: encodeAttestation(AT, attestation),
  'key-refusal': encodeKeyRefusal(AT, refusal),
  recipient: encodeRecipient(AT, recipient),
  'evidence-key': encodeEvidenceKey(AT, evidenceKey),
  'evidence-key-withdrawal': encodeEvidenceKeyWithdrawal(AT, withdrawal),
  countersignature: encodeCountersignature(AT, countersignature),
  acknowledgement: encodeAcknowledgement(AT, acknowledgement),
  anchor: encodeAnchor(AT, anchor),
  successor: encodeSuccessor(AT, confirmation),
  refresh: encodeRefresh(AT, refreshed),
};

describe('a body about new shares or a new host', () => {
  it('is read back as it was written', () => {
    expect(decodeEntryBody(bodies.successor).content).toEqual({
      kind: 'successor',
      statement: confirmation,
    });
    expect(decodeEntryBody(bodies.refresh).content).toEqual({
      kind: 'refresh',
      statement: refreshed,
    });
  });

  it('is unreadable with more keys than a statement may have, or with what is no key', () => {
    const [one] = refreshed.keys;
    const keys = Array.from({ length: MAX_REFRESHED_KEYS + 1 }, () => one!);
    const bodyOf = (change: object) => encodeRefresh(AT, { ...refreshed, ...change });
    expect(() => decodeEntryBody(bodyOf({ keys: keys.slice(1) }))).not.toThrow();
    expect(() => decodeEntryBody(bodyOf({ keys }))).toThrow('too many keys');
    for (const change of [{ keyId: 'x' }, { session: 'x' }]) {
      expect(() => decodeEntryBody(bodyOf({ keys: [{ ...one, ...change }] }))).toThrow('not a');
    }
  });
});

describe('an entry body', () => {
  it('of each kind is read back as it was written', () => {
    expect(decodeEntryBody(bodies.genesis)).toEqual({
      appendedAt: AT,
      content: { kind: 'genesis', genesis },
    });
    expect(decodeEntryBody(bodies.attestation)).toEqual({
      appendedAt: AT,
      content: { kind: 'attestation', statement: attestation },
    });
    expect(decodeEntryBody(bodies['key-refusal'])).toEqual({
      appendedAt: AT,
      content: { kind: 'key-refusal', statement: refusal },
    });
    expect(decodeEntryBody(bodies.recipient)).toEqual({
      appendedAt: AT,
      content: { kind: 'recipient', statement: recipient },
    });
    expect(decodeEntryBody(bodies['evidence-key'])).toEqual({
      appendedAt: AT,
      content: { kind: 'evidence-key', statement: evidenceKey },
    });
    expect(decodeEntryBody(bodies['evidence-key-withdrawal'])).toEqual({
      appendedAt: AT,
      content: { kind: 'evidence-key-withdrawal', statement: withdrawal },
    });
    expect(decodeEntryBody(bodies.countersignature)).toEqual({
      appendedAt: AT,
      content: { kind: 'countersignature', statement: countersignature },
    });
    expect(decodeEntryBody(bodies.acknowledgement)).toEqual({
      appendedAt: AT,
      content: { kind: 'acknowledgement', statement: acknowledgement },
    });
    expect(decodeEntryBody(bodies.anchor)).toEqual({
      appendedAt: AT,
      content: { kind: 'anchor', statement: anchor },
    });
    const { content } = decodeEntryBody(bodies.evidence);
    expect(content.kind === 'evidence' && openEvidence(content.evidence, keys)).toEqual(evidence);
  });

  it.each([0, 32, 294, 550])('keeps a public key of %d bytes', (length) => {
    const fact = { ...attestation, publicKey: randomBytes(length) };
    const { content } = decodeEntryBody(encodeAttestation(AT, fact));
    expect(content).toEqual({ kind: 'attestation', statement: fact });
  });

  it.each([
    'attestation',
    'key-refusal',
    'recipient',
    'evidence-key',
    'evidence-key-withdrawal',
    'countersignature',
    'acknowledgement',
    'anchor',
    'successor',
    'refresh',
  ] as const)('that is a %s of no party is unreadable', (kind) => {
    for (const party of [0, 4, 255]) {
      const body = Buffer.from(bodies[kind]);
      body[9] = party; // after kind, one byte, and date, eight
      expect(() => decodeEntryBody(body)).toThrow('unknown party');
    }
  });

  it.each(Object.entries(bodies))('%s is unreadable when cut at any byte', (_kind, body) => {
    for (let length = 0; length < body.length; length++) {
      expect(() => decodeEntryBody(body.subarray(0, length))).toThrow();
    }
    expect(() => decodeEntryBody(Buffer.concat([body, Buffer.alloc(1)]))).toThrow('trailing');
  });

  it.each([0, 13, 255])('of kind %d is unreadable', (kind) => {
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

describe('what is out of bounds is unreadable', () => {
  const refusalOf = (size: number) => {
    const empty = encodeKeyRefusal(AT, { ...refusal, reason: '' }).length;
    return encodeKeyRefusal(AT, { ...refusal, reason: 'x'.repeat(size - empty) });
  };

  it('in size: a body of the largest size is read, and one of a byte more is not', () => {
    expect(refusalOf(MAX_ENTRY_BYTES)).toHaveLength(MAX_ENTRY_BYTES);
    expect(decodeEntryBody(refusalOf(MAX_ENTRY_BYTES)).content.kind).toBe('key-refusal');
    expect(() => decodeEntryBody(refusalOf(MAX_ENTRY_BYTES + 1))).toThrow('too large');
  });

  const times: [string, (time: number) => Buffer][] = [
    ['appended_at', (time) => encodeAcknowledgement(time, acknowledgement)],
    [
      'the time of a request',
      (timestampMs) => encodeEvidenceEntry(AT, { ...evidence, timestampMs }, keys),
    ],
    ['the end of a recipient', (expiresAt) => encodeRecipient(AT, { ...recipient, expiresAt })],
    ["a party's time", (at) => encodeCountersignature(AT, { ...countersignature, at })],
  ];

  it.each(times)('in time: %s may be the last of the year 9999, and not later', (_what, bodyOf) => {
    expect(new Date(MAX_TIME_MS).toISOString()).toBe('9999-12-31T23:59:59.999Z');
    expect(() => decodeEntryBody(bodyOf(MAX_TIME_MS))).not.toThrow();
    for (const time of [MAX_TIME_MS + 1, Number.MAX_SAFE_INTEGER]) {
      expect(() => decodeEntryBody(bodyOf(time))).toThrow('a time out of range');
    }
  });

  it('in number: an anchor has so many chains at most, whatever it promises', () => {
    const anchorOf = (count: number) =>
      encodeAnchor(AT, {
        ...anchor,
        chains: Array.from({ length: count }, () => anchor.chains[0]!),
      });
    const { content } = decodeEntryBody(anchorOf(MAX_ANCHORED_CHAINS));
    expect(content.kind === 'anchor' && content.statement.chains).toHaveLength(MAX_ANCHORED_CHAINS);
    expect(() => decodeEntryBody(anchorOf(MAX_ANCHORED_CHAINS + 1))).toThrow('too many chains');
    const greedy = Buffer.from(bodies.anchor);
    greedy.writeUInt32LE(0xffff_ffff, 1 + 8 + 1);
    expect(() => decodeEntryBody(greedy)).toThrow('too many chains');
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
