import { beforeEach, describe, expect, it } from '@jest/globals';
import { importRecipientsView } from '@countersign/vault/views/key-view.js';
import { toBase64 } from '@countersign/core/bytes.js';
import { type StatementOf } from '@countersign/vault/ledger/entry.js';
import { MAX_TIME_MS } from '@countersign/core/records.js';
import { encodeRecipient } from '@countersign/vault/ledger/write-entry.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createLedgerBuilder, testSecret, type LedgerBuilder } from '../support/ledger-builder.ts';
import { appendRecipient, signedRecipient } from '../support/party-facts.ts';

const HOUR_MS = 3_600_000;

let ledger: LedgerBuilder;
beforeEach(() => {
  ledger = createLedgerBuilder();
});

const known = () => ledger.state.importRecipients;

/** Signed by the party for so many hours from now; appended. */
function add(party: PartyNumber, name: string, hours: number): StatementOf<'recipient'> {
  const fact = signedRecipient(ledger, party, name, ledger.now + hours * HOUR_MS);
  expect(appendRecipient(ledger, fact).refusal).toBeUndefined();
  return fact;
}

describe('a recipient of imports', () => {
  it('is kept as its party signed it, and shown with the signature', () => {
    const fact = add(2, 'first', 24);
    const row = {
      id: fact.recipientId,
      party: 2,
      publicKey: toBase64(fact.publicKey),
      expiresAt: fact.expiresAt,
      signature: toBase64(fact.signature),
    };
    expect(known()).toEqual([row]);
    expect(importRecipientsView(ledger.state)).toEqual({
      genesis_hash: ledger.state.genesisHash,
      recipients: [
        {
          party: 2,
          recipient_id: row.id,
          public_key: row.publicKey,
          expires_at: new Date(row.expiresAt).toISOString(),
          signature: row.signature,
        },
      ],
    });
  });

  it('leaves the one before it usable, and no more than that one', () => {
    const [, second, third] = ['a', 'b', 'c'].map((name, index) => add(1, name, 24 + index));
    expect(known().map((row) => row.id)).toEqual([second!.recipientId, third!.recipientId]);
  });

  it('stands beside those of the other parties, the newest of each shown', () => {
    const facts = ([3, 1, 2] as const).map((party) => add(party, 'old', 1));
    const newest = ([2, 3, 1] as const).map((party) => add(party, 'new', 2));
    expect(known().map((row) => row.party)).toEqual([1, 1, 2, 2, 3, 3]);
    expect(known()).toHaveLength(facts.length + newest.length);
    const shown = importRecipientsView(ledger.state).recipients;
    expect(shown.map((row) => row.party)).toEqual([1, 2, 3]);
    expect(new Set(shown.map((row) => row.recipient_id))).toEqual(
      new Set(newest.map((fact) => fact.recipientId)),
    );
  });

  it("does not move the vault's time by its own date: nobody signs it", () => {
    const { now } = ledger;
    const fact = signedRecipient(ledger, 1, 'far ahead', now + 24 * HOUR_MS);
    ledger.append(encodeRecipient(now + 100 * 365 * 24 * HOUR_MS, fact));
    expect(ledger.state.time).toBe(now);
  });
});

describe('a recipient is refused', () => {
  function expectRefused(fact: StatementOf<'recipient'>, refused: string): void {
    const before = ledger.state;
    const outcome = appendRecipient(ledger, fact);
    expect(outcome.refusal?.refused).toBe(refused);
    expect(outcome).toMatchObject({
      kind: 'recipient',
      actorId: `party_${fact.party}`,
      subject: { resourceType: 'import_recipient', resourceIds: [fact.recipientId] },
    });
    expect(ledger.state.importRecipients).toBe(before.importRecipients);
  }

  it('when it is appended a second time', () => {
    expectRefused(add(1, 'once', 24), 'resource_conflict');
  });

  it('when an older one is brought back: its private key may have been stolen since', () => {
    const [first, second] = [add(1, 'a', 24), add(1, 'b', 25)];
    add(1, 'c', 26);
    expectRefused(first, 'resource_conflict');
    expectRefused(second, 'resource_conflict');
  });

  it('when it does not outlive the one before it', () => {
    const { expiresAt } = add(3, 'first', 24);
    for (const other of [expiresAt, expiresAt - 1, 0]) {
      expectRefused(signedRecipient(ledger, 3, 'second', other), 'resource_conflict');
    }
    const later = signedRecipient(ledger, 3, 'second', expiresAt + 1);
    expect(appendRecipient(ledger, later).refusal).toBeUndefined();
  });

  it('when it would live longer than two days: a stolen one must be outlived', () => {
    const fact = signedRecipient(ledger, 1, 'for ever', ledger.now + 48 * 3_600_000 + 60_000);
    expectRefused(fact, 'invalid_inputs');
    expectRefused(signedRecipient(ledger, 1, 'for ever', MAX_TIME_MS), 'invalid_inputs');
    const beyond = signedRecipient(ledger, 1, 'for ever', MAX_TIME_MS + 1);
    expect(appendRecipient(ledger, beyond).kind).toBe('unreadable');
  });

  it.each<[string, (fact: StatementOf<'recipient'>) => Partial<StatementOf<'recipient'>>]>([
    ['party', () => ({ party: 2 })],
    ['id', () => ({ recipientId: signedRecipient(ledger, 1, 'other').recipientId })],
    ['public key', () => ({ publicKey: testSecret('another key') })],
    ['expiry', ({ expiresAt }) => ({ expiresAt: expiresAt + 1 })],
    ['signature', () => ({ signature: Buffer.alloc(64) })],
    [
      'signature, by another party',
      () => ({ signature: signedRecipient(ledger, 2, 'first').signature }),
    ],
  ])('whose %s is not what the party signed', (_what, change) => {
    const fact = signedRecipient(ledger, 1, 'first');
    expectRefused({ ...fact, ...change(fact) }, 'unauthorized');
    expect(appendRecipient(ledger, fact).refusal).toBeUndefined();
  });

  it('when it was signed for another vault', () => {
    const elsewhere = createLedgerBuilder({ genesis: false });
    expect(elsewhere.state.genesisHash).not.toBe(ledger.state.genesisHash);
    expectRefused(signedRecipient(elsewhere, 1, 'first', ledger.now + HOUR_MS), 'unauthorized');
  });

  it('before there is a genesis', () => {
    const empty = createLedgerBuilder({ genesis: false });
    const outcome = appendRecipient(empty, signedRecipient(empty, 1, 'first'));
    expect(outcome.refusal?.refused).toBe('forbidden');
  });
});
