/** What a partner keeps a freeze waiting with: what it gave its lead, where that can come to a signature. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createLedgerBuilder,
  type LedgerBuilder,
  type LedgerUser,
} from '../../../test/support/ledger-builder.js';
import {
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
  type SigningReplica,
} from '../../../test/support/signing-replicas.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';

let ledger: LedgerBuilder;
let stranger: LedgerUser;
let keyId: string;
let lead: SigningReplica;
let partner: SigningReplica;
beforeEach(() => {
  ledger = createLedgerBuilder();
  stranger = ledger.addMachine('stranger', []);
  keyId = makeReadingKey(ledger, 'binance');
  const shared = { ledger, store: createSharedStore(), takenBefore: 0 };
  const open = (party: 1 | 2) =>
    openSigningReplica({ ...shared, party, name: 'a', nonces: createNoncesInMemory() });
  [lead, partner] = [open(1), open(2)];
});
afterEach(() => partner.context.given.stop());

const query = { channel: 'rest', method: 'GET', path: '/api/v3/account', query: '' };

/** What the partner of a batch says to each of its requests; its lead never answers. */
async function partsFor(...users: LedgerUser[]): Promise<string[]> {
  const items = users.map((user) => ({
    submission: randomBytes(16).toString('hex'),
    receivedAt: ledger.now,
    nonce: 0n,
    evidence: ledger.evidenceOf(user, 'POST', `/v1/keys/${keyId}/sign`, { venue_request: query }),
  }));
  await signTogether(ledger, { lead, partner }, items, false);
  return partner.told().parts.map(({ kind }) => kind);
}

describe('a batch of which the lead says nothing more', () => {
  it('is under way where one part of it may come to a signature', async () => {
    expect(await partsFor(stranger, ledger.admin)).toEqual(['denied', 'contributed']);
    expect(partner.context.gate.oldest).toBe(ledger.state.seq);
  });

  it('keeps no freeze waiting where every part was refused', async () => {
    expect(await partsFor(stranger, stranger)).toEqual(['denied', 'denied']);
    expect(partner.context.gate.oldest).toBeUndefined();
  });
});

describe('what a partner gave, and no answer to it came', () => {
  const seen = (state: VaultState) => ({ state, tip: state });
  let given: number;
  beforeEach(async () => {
    given = ledger.state.seq;
    expect(await partsFor(stranger, ledger.admin)).toEqual(['denied', 'contributed']);
  });

  it.each([
    ['its key', () => `/v1/keys/freeze?key_ids=${keyId}`],
    ['its caller', () => `/v1/users/freeze?user_ids=${ledger.admin.id}`],
    ['its venue', () => '/v1/keys/freeze?venue_id=binance'],
    ['the system', () => '/v1/system/freeze'],
  ])('keeps a freeze waiting of %s', (_scope, path) => {
    const officer = ledger.addMachine('officer', ['freeze', 'manage_admin_policies']);
    expect(partner.context.gate.oldestFrozen(seen(ledger.state))).toBeUndefined();
    const before = ledger.state;
    ledger.must(officer, 'POST', path());
    expect(partner.context.gate.oldestFrozen(seen(ledger.state))).toBe(given);
    const pending = { state: before, tip: ledger.state };
    expect(partner.context.gate.oldestFrozen(pending)).toBe(given);
  });

  it('keeps no freeze waiting of another venue, or of who was refused', () => {
    ledger.must(ledger.admin, 'POST', '/v1/keys/freeze?venue_id=kraken');
    ledger.must(ledger.admin, 'POST', `/v1/users/freeze?user_ids=${stranger.id}`);
    expect(partner.context.gate.oldestFrozen(seen(ledger.state))).toBeUndefined();
    expect(partner.context.gate.oldest).toBe(given);
  });
});
