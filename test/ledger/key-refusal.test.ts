import { beforeEach, describe, expect, it } from '@jest/globals';
import { encodeKeyRefusal } from '@countersign/vault/ledger/write-entry.js';
import { findKeyFailure, isKeyPending } from '@countersign/vault/operations/key-work.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createLedgerBuilder, keyStory, type LedgerBuilder } from '../support/ledger-builder.ts';
import { appendRefusal, refuseKey, signedRefusal } from '../support/party-facts.ts';
import { rsaTestKey } from '../support/rsa-test-keys.ts';

let ledger: LedgerBuilder;
let keyId: string;

const PARTIES: readonly PartyNumber[] = [1, 2, 3];
const story = keyStory('first run');
const rsaPublicKey = rsaTestKey('2048').publicKey.export({
  format: 'der',
  type: 'spki',
});
const rsaStory = { ...story, publicKey: rsaPublicKey };
const keyNow = () => ledger.state.keys.rows.get(keyId)!;

beforeEach(() => {
  ledger = createLedgerBuilder();
  keyId = ledger.must(ledger.admin, 'POST', '/v1/keys', { type: 'rsa', display_name: 'RSA' });
});

describe('the refusal of a key', () => {
  const REASON = 'the part does not fit its commitments';

  it("ends the key with one party's statement, and says whose and why", () => {
    const outcome = refuseKey(ledger, 2, keyId, REASON);
    expect(outcome).toMatchObject({
      kind: 'key-refusal',
      refusal: undefined,
      actorId: 'party_2',
      subject: { resourceType: 'key', resourceIds: [keyId], keyIds: [keyId] },
    });
    expect(keyNow()).toMatchObject({
      status: 'failed',
      failure: `party 2: ${REASON}`,
      publicKey: '',
      sealedParts: [],
    });
    expect(ledger.state.keys.indexes.pending.has(keyId)).toBe(false);
  });

  it('is final: a later attestation is refused, and so is another refusal', () => {
    refuseKey(ledger, 2, keyId, REASON);
    const before = keyNow();
    for (const party of PARTIES) {
      expect(ledger.attest(party, keyId, rsaStory).refusal?.refused).toBe('resource_conflict');
      expect(refuseKey(ledger, party, keyId, 'again').refusal?.refused).toBe('resource_conflict');
    }
    expect(keyNow()).toBe(before);
  });

  it('does nothing to a key that is complete', () => {
    for (const party of PARTIES) ledger.attest(party, keyId, rsaStory);
    const before = keyNow();
    expect(before.status).toBe('active');
    expect(refuseKey(ledger, 1, keyId, REASON).refusal?.refused).toBe('resource_conflict');
    expect(keyNow()).toBe(before);
  });

  it('does nothing to the generation of an Ed25519 key: a wallet must come to have its address', () => {
    const { admin } = ledger;
    const vaultId = ledger.must(admin, 'POST', '/v1/vaults', { display_name: 'Desk' });
    const wallets = `/v1/vaults/${vaultId}/wallets`;
    const walletId = ledger.must(admin, 'POST', wallets, { network_family: 'solana' });
    const wallet = ledger.state.wallets.rows.get(walletId)!;
    expect(refuseKey(ledger, 2, wallet.keyId, REASON).refusal?.refused).toBe('resource_conflict');
    for (const party of PARTIES) ledger.attest(party, wallet.keyId, story);
    expect(ledger.state.wallets.rows.get(walletId)!.address).not.toBe('');
  });

  it.each([
    ['party', { party: 3 }],
    ['reason', { reason: 'another reason' }],
    ['signature', { signature: Buffer.alloc(64) }],
  ] as const)('is refused when its %s is not what was signed', (_what, change) => {
    const fact = signedRefusal(ledger, 2, keyId, REASON);
    const before = keyNow();
    const outcome = appendRefusal(ledger, { ...fact, ...change });
    expect(outcome.refusal?.refused).toBe('unauthorized');
    expect(keyNow()).toBe(before);
    expect(ledger.state.keys.indexes.pending.has(keyId)).toBe(true);
  });

  it('is refused for another key than the one it was signed for, and for none', () => {
    const other = ledger.must(ledger.admin, 'POST', '/v1/keys', {
      type: 'ed25519',
      display_name: 'Other',
    });
    const fact = signedRefusal(ledger, 2, other, REASON);
    expect(appendRefusal(ledger, { ...fact, keyId }).refusal?.refused).toBe('unauthorized');
    const unknown = signedRefusal(ledger, 2, ledger.admin.id, REASON);
    expect(appendRefusal(ledger, unknown).refusal?.refused).toBe('resource_not_found');
    expect(keyNow().status).toBe('generating');
  });

  it('keeps no more than 200 characters of what a party says', () => {
    refuseKey(ledger, 1, keyId, 'x'.repeat(1_000));
    expect(keyNow().failure).toBe(`party 1: ${'x'.repeat(200)}`);
  });

  it('is what the request for the key comes to', () => {
    const { outcomes } = ledger;
    const asked = outcomes.find(({ operation }) => operation?.id === 'generate-key')!;
    expect(isKeyPending(ledger.state, asked.operation!, asked.subject!)).toBe(true);
    expect(findKeyFailure(ledger.state, asked.operation!, asked.subject!)).toBeUndefined();
    refuseKey(ledger, 3, keyId, REASON);
    expect(isKeyPending(ledger.state, asked.operation!, asked.subject!)).toBe(false);
    expect(findKeyFailure(ledger.state, asked.operation!, asked.subject!)).toEqual({
      refused: 'invalid_inputs',
      message: `party 3: ${REASON}`,
    });
  });

  it("does not move the vault's time by its own date", () => {
    const { now } = ledger;
    const fact = signedRefusal(ledger, 1, keyId, REASON);
    ledger.append(encodeKeyRefusal(now + 100 * 365 * 86_400_000, fact));
    expect(ledger.state.time).toBe(now);
    expect(keyNow().status).toBe('failed');
  });
});
