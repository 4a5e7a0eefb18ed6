import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { toBase64, toHex } from '@countersign/core/bytes.js';
import { ceremonyHashOf, keyAttestationMessage } from '@countersign/core/attestation.js';
import { encodeAttestation } from '@countersign/vault/ledger/write-entry.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { walletAddressKey } from '@countersign/vault/state/tables.js';
import { addressOf } from '@countersign/chains/addresses.js';
import {
  createLedgerBuilder,
  keyStory,
  testPrivateKey,
  testSecret,
  type LedgerBuilder,
} from '../support/ledger-builder.ts';
import { addRecipients, rsaPublicKey } from '../support/party-facts.ts';

let ledger: LedgerBuilder;
let vaultId: string;
let walletId: string;
let keyId: string;

const PARTIES: readonly PartyNumber[] = [1, 2, 3];
const story = keyStory('first run');
const keyNow = () => ledger.state.keys.rows.get(keyId)!;
const walletNow = () => ledger.state.wallets.rows.get(walletId)!;

beforeEach(() => {
  ledger = createLedgerBuilder();
  const { admin } = ledger;
  vaultId = ledger.must(admin, 'POST', '/v1/vaults', { display_name: 'Desk' });
  walletId = ledger.must(admin, 'POST', `/v1/vaults/${vaultId}/wallets`, {
    network_family: 'solana',
  });
  keyId = ledger.state.wallets.rows.get(walletId)!.keyId;
});

describe('a key', () => {
  it.each([
    [1, 2, 3],
    [3, 1, 2],
    [2, 3, 1],
  ] as const)('becomes active with the third attestation: %d, %d, %d', (...order) => {
    for (const party of order.slice(0, 2)) {
      expect(ledger.attest(party, keyId, story).refusal).toBeUndefined();
      expect(keyNow()).toMatchObject({ status: 'generating', publicKey: '' });
      expect(walletNow().address).toBe('');
      expect(ledger.state.keys.indexes.pending.has(keyId)).toBe(true);
    }
    ledger.attest(order[2], keyId, story);
    const address = addressOf('solana', story.publicKey);
    expect(keyNow()).toMatchObject({
      status: 'active',
      publicKey: toBase64(story.publicKey),
      session: story.session,
    });
    expect(keyNow().attestations.map((row) => row.party)).toEqual([1, 2, 3]);
    expect(walletNow().address).toBe(address);
    expect(ledger.state.wallets.indexes.byAddress.get(walletAddressKey(vaultId, address))).toBe(
      walletId,
    );
    expect(ledger.state.keys.indexes.pending.has(keyId)).toBe(false);
  });

  it('shows the ceremony hash that the attestations sign', () => {
    ledger.attest(1, keyId, story);
    const [row] = keyNow().attestations;
    expect(row?.ceremonyHash).toBe(toHex(ceremonyHashOf(story.session, story.transcriptHash)));
  });

  it('is not active because one party says the same three times', () => {
    for (const _ of PARTIES) ledger.attest(2, keyId, story);
    expect(keyNow().status).toBe('generating');
    expect(keyNow().attestations).toHaveLength(1);
  });

  it.each([
    ['public key', { publicKey: keyStory('other').publicKey }],
    ['transcript', { transcriptHash: testSecret('another transcript') }],
    ['session', { session: keyStory('other').session }],
  ])('stays without an address while one party tells of another %s', (_what, difference) => {
    ledger.attest(1, keyId, story);
    ledger.attest(2, keyId, { ...story, ...difference });
    ledger.attest(3, keyId, story);
    expect(keyNow().status).toBe('generating');
    expect(walletNow().address).toBe('');
    expect(ledger.state.wallets.indexes.byAddress.size).toBe(0);
  });

  it('becomes active when the party that stood apart attests the common story', () => {
    ledger.attest(1, keyId, keyStory('a run that failed'));
    ledger.attest(2, keyId, story);
    ledger.attest(3, keyId, story);
    expect(keyNow().status).toBe('generating');
    ledger.attest(1, keyId, story);
    expect(keyNow()).toMatchObject({ status: 'active', session: story.session });
  });

  it('never changes once it is active', () => {
    for (const party of PARTIES) ledger.attest(party, keyId, story);
    const before = keyNow();
    for (const party of PARTIES) {
      const later = ledger.attest(party, keyId, keyStory('a later run'));
      expect(later.refusal?.refused).toBe('resource_conflict');
    }
    expect(ledger.attest(1, keyId, story).refusal?.refused).toBe('resource_conflict');
    expect(keyNow()).toBe(before);
  });

  it('without a wallet becomes active with no address', () => {
    const lone = ledger.must(ledger.admin, 'POST', '/v1/keys', {
      type: 'ed25519',
      display_name: 'Venue key',
    });
    for (const party of PARTIES) ledger.attest(party, lone, story);
    expect(ledger.state.keys.rows.get(lone)?.status).toBe('active');
    expect(ledger.state.wallets.indexes.byAddress.size).toBe(0);
  });
});

describe('a forged attestation is refused', () => {
  const other = keyStory('other');

  it.each([
    ['party', { party: 2 }],
    ['public key', { publicKey: other.publicKey }],
    ['transcript', { transcriptHash: other.transcriptHash }],
    // parties look their shares up by session: a relabelled run would leave the key without any
    ['session', { session: other.session }],
    ['signature', { signature: Buffer.alloc(64) }],
  ] as const)('one whose %s was changed after signing', (_what, change) => {
    const fact = ledger.signedFact(1, keyId, story);
    const before = ledger.state;
    const outcome = ledger.appendFact({ ...fact, ...change });
    expect(outcome.refusal?.refused).toBe('unauthorized');
    expect(ledger.state.keys).toBe(before.keys);
  });

  it('one made for another key', () => {
    const second = ledger.must(ledger.admin, 'POST', `/v1/vaults/${vaultId}/wallets`, {
      network_family: 'solana',
    });
    const fact = ledger.signedFact(1, keyId, story);
    const moved = { ...fact, keyId: ledger.state.wallets.rows.get(second)!.keyId };
    expect(ledger.appendFact(moved).refusal?.refused).toBe('unauthorized');
  });

  it('one of a key that nobody asked for', () => {
    const fact = { ...ledger.signedFact(1, keyId, story), keyId: vaultId };
    expect(ledger.appendFact(fact).refusal?.refused).toBe('resource_not_found');
  });
});

it("an attestation's own date does not move the vault's time: nobody signs it", () => {
  const { now } = ledger;
  const fact = ledger.signedFact(1, keyId, story);
  ledger.append(encodeAttestation(now + 100 * 365 * 86_400_000, fact));
  expect(ledger.state.time).toBe(now);
  expect(ledger.send(ledger.admin, 'POST', '/v1/vaults', { display_name: 'Later' }).refusal).toBe(
    undefined,
  );
});

describe('the public key that is attested', () => {
  const sized = (publicKey: Buffer) => ({ ...story, publicKey });
  const refusedFor = (id: string, publicKey: Buffer) =>
    ledger.attest(1, id, sized(publicKey)).refusal?.refused;

  function generateRsa(modulusBits?: number): string {
    return ledger.must(ledger.admin, 'POST', '/v1/keys', {
      type: 'rsa',
      display_name: 'RSA key',
      ...(modulusBits !== undefined && { modulus_bits: modulusBits }),
    });
  }

  it('is 32 bytes of an Ed25519 key', () => {
    const raw = Buffer.from(story.publicKey);
    for (const other of [raw.subarray(1), Buffer.concat([raw, raw]), Buffer.alloc(0)]) {
      expect(refusedFor(lone(), other)).toBe('invalid_inputs');
    }
    expect(refusedFor(lone(), rsaPublicKey('rsa'))).toBe('invalid_inputs');
  });

  it.each([
    [undefined, 2048],
    [2048, 2048],
    [3072, 3072],
    [4096, 4096],
  ])('is an RSA key of the size that was asked for: %s', (asked, bits) => {
    const id = generateRsa(asked);
    expect(ledger.state.keys.rows.get(id)).toMatchObject({ type: 'rsa', modulusBits: bits });
    for (const other of [1024, 2048, 3072, 4096].filter((size) => size !== bits)) {
      expect(refusedFor(id, rsaPublicKey('rsa', other))).toBe('invalid_inputs');
    }
    const spki = rsaPublicKey('rsa', bits);
    for (const party of PARTIES) {
      expect(ledger.attest(party, id, sized(spki)).refusal).toBeUndefined();
    }
    expect(ledger.state.keys.rows.get(id)).toMatchObject({
      status: 'active',
      publicKey: spki.toString('base64'),
    });
  });

  it('is nothing but the SubjectPublicKeyInfo of an RSA key', () => {
    const id = generateRsa();
    const spki = rsaPublicKey('rsa');
    const { publicKey: ec } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keyObject = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    const others = [
      Buffer.alloc(0),
      Buffer.from(story.publicKey),
      spki.subarray(0, -1),
      ec.export({ format: 'der', type: 'spki' }),
      keyObject.export({ format: 'der', type: 'pkcs1' }),
      Buffer.from(keyObject.export({ format: 'pem', type: 'spki' })),
    ];
    for (const other of others) expect(refusedFor(id, other)).toBe('invalid_inputs');
    expect(ledger.state.keys.rows.get(id)?.attestations).toEqual([]);
  });

  function lone(): string {
    return ledger.must(ledger.admin, 'POST', '/v1/keys', { type: 'ed25519', display_name: 'Lone' });
  }
});

describe('an attestation of an imported key', () => {
  const empty = { ...story, publicKey: Buffer.alloc(0) };

  function importOf(body: object): string {
    return ledger.must(ledger.admin, 'POST', '/v1/keys/import', {
      display_name: 'Imported',
      shares: addRecipients(ledger, 'first'),
      ...body,
    });
  }

  it('of an HMAC secret has no public key', () => {
    const id = importOf({ type: 'hmac', encoding: 'utf8' });
    expect(ledger.attest(1, id, story).refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: expect.stringContaining('of the kind') as unknown,
    });
    expect(ledger.attest(1, id, { ...empty, publicKey: Buffer.alloc(1) }).refusal?.refused).toBe(
      'invalid_inputs',
    );
    for (const party of PARTIES) expect(ledger.attest(party, id, empty).refusal).toBeUndefined();
    expect(ledger.state.keys.rows.get(id)).toMatchObject({ status: 'active', publicKey: '' });
  });

  it('of an Ed25519 seed has the public key that the importer stated, and no other', () => {
    const publicKey = toBase64(story.publicKey);
    const id = importOf({ type: 'ed25519', encoding: 'seed', public_key: publicKey });
    const other = ledger.attest(1, id, keyStory('other'));
    expect(other.refusal).toMatchObject({
      refused: 'invalid_inputs',
      message: expect.stringContaining('stated') as unknown,
    });
    expect(ledger.attest(2, id, empty).refusal?.refused).toBe('invalid_inputs');
    expect(ledger.state.keys.rows.get(id)).toMatchObject({ status: 'importing', attestations: [] });
    for (const party of PARTIES) expect(ledger.attest(party, id, story).refusal).toBeUndefined();
    expect(ledger.state.keys.rows.get(id)).toMatchObject({ status: 'active', publicKey });
  });

  it('of an RSA key has the public key that the importer stated, and no other of its size', () => {
    const spki = rsaPublicKey('rsa');
    const id = importOf({
      type: 'rsa',
      encoding: 'pkcs8',
      public_key: spki.toString('base64'),
    });
    const other = { ...story, publicKey: rsaPublicKey('another') };
    expect(ledger.attest(1, id, other).refusal?.refused).toBe('invalid_inputs');
    for (const party of PARTIES) ledger.attest(party, id, { ...story, publicKey: spki });
    expect(ledger.state.keys.rows.get(id)?.status).toBe('active');
  });

  it('signs the type of the key: as another type it means nothing', () => {
    const id = importOf({ type: 'hmac', encoding: 'utf8' });
    const { genesisHash } = ledger.state;
    for (const [keyType, isAccepted] of [
      ['rsa', false],
      ['ed25519', false],
      ['hmac', true],
    ] as const) {
      const { session, transcriptHash } = story;
      const ceremonyHash = ceremonyHashOf(session, transcriptHash);
      const subject = { vaultId: '', address: '', keyId: id, ceremonyHash, keyType };
      const message = keyAttestationMessage(
        { ...subject, publicKey: empty.publicKey },
        genesisHash,
      );
      const signature = sign(null, message, testPrivateKey('party 1'));
      const { refusal } = ledger.appendFact({ party: 1, keyId: id, ...empty, signature });
      expect(refusal?.refused).toBe(isAccepted ? undefined : 'unauthorized');
    }
  });

  it('leaves nothing that was sealed in the state once the key is complete', () => {
    const id = importOf({ type: 'hmac', encoding: 'utf8' });
    expect(ledger.state.keys.rows.get(id)?.sealedParts).toHaveLength(3);
    for (const party of PARTIES) ledger.attest(party, id, empty);
    expect(ledger.state.keys.rows.get(id)?.sealedParts).toEqual([]);
  });
});

describe('a generated public key', () => {
  it('belongs to one key for good: a stock key brought back by the database makes no second one', () => {
    const generate = (name: string) =>
      ledger.must(ledger.admin, 'POST', '/v1/keys', { type: 'ed25519', display_name: name });
    const [first, second] = [generate('first'), generate('second')];
    for (const party of PARTIES) ledger.attest(party, first, story);
    ledger.must(ledger.admin, 'POST', `/v1/keys/${first}/destroy`);
    for (const party of PARTIES) {
      expect(ledger.attest(party, second, story).refusal?.refused).toBe('resource_conflict');
    }
    expect(ledger.state.keys.rows.get(second)!.status).toBe('generating');
    for (const party of PARTIES) ledger.attest(party, second, keyStory('a run of its own'));
    expect(ledger.state.keys.rows.get(second)!.status).toBe('active');
  });
});
