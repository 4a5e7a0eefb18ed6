import { createHmac, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { describe, expect, it, test } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import { digestOf, requestIdOf, type Evidence } from '@countersign/core/evidence.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { sealSigningDetails, type SignedOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Key, VaultState } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import {
  createProvingParties,
  prove,
  rawPublicKey,
} from '../../../test/support/proven-outcomes.js';
import { createSigningScene } from '../../../test/support/signing-scene.js';
import { askedBefore, type AskedRequest } from './asked-request.js';
import { findResultFault } from './result-fault.js';
import { rsaTestKey } from '../../../test/support/rsa-test-keys.ts';

const vault = createProvingParties();
const keys = createEvidenceKeys([randomBytes(32)]);
const { key: template, state: empty } = createSigningScene();
const idOf = (name: string) => uuidFromHash(sha256(name));
const NOW = Date.UTC(2026, 10, 22);
/** As Binance spells API keys. */
const NAME = 'a'.repeat(64);

interface Case {
  readonly key: Key;
  readonly path: string;
  readonly body: unknown;
  /** As the parties would; what a venue wants is in the message already. */
  sign(message: Uint8Array): Buffer;
}

const ed25519 = generateKeyPairSync('ed25519');
const rsa = rsaTestKey('2048');
const spki = (publicKey: KeyObject) => publicKey.export({ type: 'spki', format: 'der' });
const message = { message: '00ff', message_encoding: 'hex' };
const secret = randomBytes(32);

function keyWith(fields: Partial<Key>): Key {
  return { ...template, id: idOf('another key'), ...fields };
}

const CASES: Readonly<Record<string, Case>> = {
  ed25519: {
    key: keyWith({ publicKey: rawPublicKey(ed25519.publicKey).toString('base64') }),
    path: 'raw-sign',
    body: message,
    sign: (bytes) => sign(null, bytes, ed25519.privateKey),
  },
  rsa: {
    key: keyWith({
      type: 'rsa',
      scheme: 'rsa_pkcs1_sha256',
      modulusBits: 2048,
      publicKey: spki(rsa.publicKey).toString('base64'),
    }),
    path: 'raw-sign',
    body: message,
    sign: (bytes) => sign('sha256', bytes, rsa.privateKey),
  },
  'a venue': {
    key: keyWith({
      type: 'rsa',
      scheme: null,
      modulusBits: 2048,
      publicKey: spki(rsa.publicKey).toString('base64'),
      venueId: 'binance',
      venueApiKey: NAME,
    }),
    path: 'sign',
    body: { venue_request: { method: 'GET', path: '/api/v3/account', channel: 'rest' } },
    sign: (bytes) => sign('sha256', bytes, rsa.privateKey),
  },
};

const HMAC: Case = {
  key: keyWith({
    type: 'hmac',
    scheme: 'hmac_sha256',
    custody: 'split',
    publicKey: '',
    venueId: 'okx',
    venueApiKey: NAME,
  }),
  path: 'sign',
  body: { venue_request: { method: 'GET', path: '/api/v5/account/balance', channel: 'rest' } },
  sign: (bytes) => createHmac('sha256', secret).update(bytes).digest(),
};

function askedOf({ key, path, body }: Case): AskedRequest {
  const state: VaultState = { ...empty, keys: insertRow(empty.keys, key) };
  const evidence: Evidence = {
    method: 'POST',
    path: `/v1/keys/${key.id}/${path}`,
    query: '',
    body: Buffer.from(JSON.stringify(body)),
    scheme: 'ApiKey',
    credential: 'c',
    timestampMs: NOW,
    nonce: Buffer.alloc(8),
    assertion: Buffer.alloc(64),
  };
  const asked = askedBefore(evidence, () => state);
  if (asked === undefined || isRefusal(asked)) throw new Error('no signing request');
  expect(asked.requestId).toBe(requestIdOf(digestOf(evidence)));
  return asked;
}

interface Changes {
  readonly signature?: Buffer;
  readonly venueApiKey?: string;
  readonly messageOf?: Case;
  readonly messageSha256?: string;
}

function outcomeOf(of: Case, asked: AskedRequest, changes: Changes = {}): SignedOutcome {
  const venueApiKey = changes.venueApiKey ?? of.key.venueApiKey ?? '';
  const moment = { at: NOW, nonce: 0n, requestId: asked.requestId };
  const target = asked.findTarget(of.key.id)!;
  const named = { ...target, key: { ...target.key, venueApiKey } };
  const composed = asked.operation.recompose(named, asked.input, { moment, venueApiKey });
  if (isRefusal(composed)) throw new Error(composed.message);
  const receipt: SignedOutcome['receipt'] = {
    requestId: asked.requestId,
    keyId: of.key.id,
    messageSha256: changes.messageSha256 ?? sha256(composed.message).toString('hex'),
    policy: { id: idOf('policy'), version: 1, ruleId: idOf('rule') },
    ledgerSeq: 9,
    ledgerHash: '00'.repeat(32),
    rulesVersion: 1,
    parties: [2, 3],
    signedAt: NOW,
  };
  const details =
    venueApiKey === ''
      ? new Uint8Array()
      : sealSigningDetails({ nonce: 0n, venueApiKey, passphrase: '' }, receipt, keys);
  const signature = changes.signature ?? of.sign(composed.message);
  const submission = '11'.repeat(16);
  return prove<SignedOutcome>(
    { outcome: 'signed', submission, signature, details, receipt },
    vault,
  );
}

const faultOf = (of: Case, changes?: Changes) => {
  const asked = askedOf(of);
  return findResultFault(outcomeOf(of, asked, changes), asked, vault.trust, keys);
};

describe.each(Object.keys(CASES))('a signature with %s', (name) => {
  const of = CASES[name]!;

  it('holds when it is the key’s, of the message that the request makes', () => {
    expect(faultOf(of)).toBeUndefined();
  });

  it('does not hold when it is wrong: its lead put its name to it', () => {
    const right = of.sign(Buffer.from('another message'));
    const short = right.subarray(0, -1);
    for (const signature of [right, short, randomBytes(right.length), Buffer.alloc(0)]) {
      expect(faultOf(of, { signature })).toMatchObject({ accused: 2 });
    }
  });

  it('does not hold when it is of another message, whatever two parties say', () => {
    const messageSha256 = sha256('another').toString('hex');
    expect(faultOf(of, { messageSha256 })).toEqual({
      reason: 'the result is of another message',
      accused: 2,
    });
  });
});

describe('an HMAC', () => {
  it('is of the message that the request makes', () => {
    expect(faultOf(HMAC)).toBeUndefined();
    expect(faultOf(HMAC, { messageSha256: '00'.repeat(32) })).toMatchObject({ accused: 2 });
  });
});

describe('the name at the venue, which is the lead’s word', () => {
  const of = CASES['a venue']!;

  it('is the key’s own', () => {
    expect(faultOf(of, { venueApiKey: 't'.repeat(64) })).toEqual({
      reason: 'the result names another key of the venue',
      accused: 2,
    });
  });

  it('may be an earlier one, where the key was changed since', () => {
    const renamed = {
      ...of,
      key: { ...of.key, venueApiKey: 'n'.repeat(64), lastUpdatedAt: NOW + 1 },
    };
    expect(faultOf(renamed, { venueApiKey: NAME })).toBeUndefined();
  });
});

test('details that do not open make no result', () => {
  const of = CASES['a venue']!;
  const asked = askedOf(of);
  const outcome = outcomeOf(of, asked);
  const others = createEvidenceKeys([randomBytes(32)]);
  const fault = findResultFault(outcome, asked, vault.trust, others);
  expect(fault).toMatchObject({ accused: undefined, reason: expect.stringContaining('read') });
});

test('a result holds for one deployment alone', () => {
  const of = CASES['ed25519']!;
  const asked = askedOf(of);
  const outcome = outcomeOf(of, asked);
  const others = { ...vault.trust, genesisHash: '00'.repeat(32) };
  expect(findResultFault(outcome, asked, others, keys)).toMatchObject({ accused: undefined });
});
