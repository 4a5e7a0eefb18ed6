/** A lone request wakes the threads of each party once; what they say of it is used for that alone. */
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Receipt } from '@countersign/api/receipt.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { findOutcomeFault, leadLeaf } from '@countersign/runtime/jobs/sign-outcome.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { createLedgerBuilder, type LedgerBuilder } from '../../../test/support/ledger-builder.js';
import {
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
  type SigningReplica,
} from '../../../test/support/signing-replicas.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';
import { completedStatement } from '../threads/lone-statement.js';
import type { LeadItem, LeadResult } from '../threads/thread-tasks.js';
import { plantBatchTree } from './batch-tree.js';
import { loneStatement, saidByThread } from './lone-lead.js';

const receipt: Receipt = {
  requestId: randomUUID(),
  keyId: randomUUID(),
  messageSha256: randomBytes(32).toString('hex'),
  policy: { id: randomUUID(), version: 3, ruleId: randomUUID() },
  ledgerSeq: 12,
  ledgerHash: randomBytes(32).toString('hex'),
  rulesVersion: 1,
  parties: [2, 3],
  signedAt: 1_767_614_400_000,
};
const genesisHash = randomBytes(32).toString('hex');
const outcome = {
  outcome: 'signed',
  submission: randomBytes(16).toString('hex'),
  details: randomBytes(40),
  receipt,
} as const;

describe('what a thread says of a lone item', () => {
  const signature = randomBytes(64);
  const statement = loneStatement(2, outcome, genesisHash);
  const messageOf = (change: object, party: PartyNumber = 2) =>
    plantBatchTree(party, [leadLeaf({ ...outcome, signature, ...change })], genesisHash)!.message;
  const said = randomBytes(64);
  const result: LeadResult = { ok: true, signature, passphrase: '', said };
  const item = { statement } as unknown as LeadItem;

  it('is what the lead would say of its tree', () => {
    expect(completedStatement(statement, signature)).toEqual(messageOf({}));
    expect(saidByThread(messageOf({}), [item], [result])).toBe(said);
  });

  it.each([
    ['another signature', { signature: randomBytes(64) }],
    ['another answer', { details: randomBytes(40) }],
    ['another submission', { submission: '00'.repeat(16) }],
    ['another receipt', { receipt: { ...receipt, ledgerSeq: 13 } }],
  ])('is not used for %s', (_what, change) => {
    expect(saidByThread(messageOf(change), [item], [result])).toBeUndefined();
  });

  it('is not used where nothing was asked or signed', () => {
    const refused: LeadResult = { ok: false, reason: 'assertion' };
    expect(saidByThread(messageOf({}), [item], [refused])).toBeUndefined();
    expect(saidByThread(messageOf({}), [{} as LeadItem], [result])).toBeUndefined();
    expect(saidByThread(messageOf({}), [], [])).toBeUndefined();
    expect(saidByThread(messageOf({}, 1), [item], [result])).toBeUndefined();
  });
});

describe('a pair', () => {
  let ledger: LedgerBuilder;
  let pair: { readonly lead: SigningReplica; readonly partner: SigningReplica };
  let signedApart = 0;

  beforeEach(() => {
    ledger = createLedgerBuilder();
    const store = createSharedStore();
    const open = (party: PartyNumber) =>
      openSigningReplica({
        ...{ party, name: 'a', ledger, store, takenBefore: ledger.now - 10_000 },
        nonces: createNoncesInMemory(),
      });
    pair = { lead: open(1), partner: open(2) };
    signedApart = 0;
    for (const { context } of [pair.lead, pair.partner]) {
      const { threads } = context;
      const signIdentity = (messages: readonly Uint8Array[]) => {
        signedApart += 1;
        return threads.signIdentity(messages);
      };
      Object.assign(context, { threads: { ...threads, signIdentity } });
    }
  });

  function itemsOf(count: number): SignItem[] {
    const keyId = makeReadingKey(ledger, 'binance');
    const read = { channel: 'rest', method: 'GET', path: '/api/v3/account' };
    return Array.from({ length: count }, () => ({
      submission: randomBytes(16).toString('hex'),
      receivedAt: ledger.now,
      nonce: 0n,
      evidence: ledger.evidenceOf(ledger.admin, 'POST', `/v1/keys/${keyId}/sign`, {
        venue_request: read,
      }),
    }));
  }

  it.each([
    ['one item has its threads sign nothing apart', 1, 0],
    ['several has each of them sign once for all', 3, 2],
  ])('of %s, and what it says holds', async (_what, count, apart) => {
    const { outcomes } = await signTogether(ledger, pair, itemsOf(count));
    const trust = {
      genesisHash: ledger.state.genesisHash,
      verifyParty: pair.lead.context.verifyParty,
    };
    const faults = outcomes.map((one) =>
      one.outcome === 'signed' ? findOutcomeFault(one, one.receipt.requestId, trust) : one,
    );
    expect(faults).toEqual(faults.map(() => undefined));
    expect(outcomes).toHaveLength(count);
    expect(signedApart).toBe(apart);
  });
});
