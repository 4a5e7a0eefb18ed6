import { beforeEach, describe, expect, it } from '@jest/globals';
import { toBase64, toHex } from '@countersign/shared/bytes.js';
import { ceremonyHashOf } from '@countersign/shared/attestation.js';
import type { PartyNumber } from '@countersign/shared/ledger/state.js';
import { walletAddressKey } from '@countersign/shared/ledger/state.js';
import { addressOf } from '@countersign/shared/networks/addresses.js';
import {
  createLedgerBuilder,
  keyStory,
  testSecret,
  type LedgerBuilder,
} from '../support/ledger-builder.ts';

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
      expect(ledger.state.keyIdsPending.has(keyId)).toBe(true);
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
    expect(ledger.state.walletIdByAddress.get(walletAddressKey(vaultId, address))).toBe(walletId);
    expect(ledger.state.keyIdsPending.has(keyId)).toBe(false);
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
    expect(ledger.state.walletIdByAddress.size).toBe(0);
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
    expect(ledger.state.walletIdByAddress.size).toBe(0);
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

it("an attestation does not move the vault's time: nothing that is signed vouches for its date", () => {
  const { time } = ledger.state;
  const fact = ledger.signedFact(1, keyId, story);
  ledger.appendFact(fact, ledger.now + 100 * 365 * 86_400_000);
  expect(ledger.state.time).toBe(time);
  expect(ledger.send(ledger.admin, 'POST', '/v1/vaults', { display_name: 'Later' }).refusal).toBe(
    undefined,
  );
});
