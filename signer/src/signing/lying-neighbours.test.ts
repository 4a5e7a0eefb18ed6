/** What a lead makes of a partner that does not sign what it gives, and of rows that other leads left for it. */
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import type { SignItem } from '@countersign/runtime/jobs/sign-batch.js';
import { encodeOutcome, type SignOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import { createLedgerBuilder, type LedgerBuilder } from '../../../test/support/ledger-builder.js';
import {
  batchFor,
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
  type SharedStore,
  type SigningReplica,
} from '../../../test/support/signing-replicas.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';
import type { RecordEntry, StoredResult } from '../records/record-entry.js';
import { signAsLead } from './sign-as-lead.js';

let ledger: LedgerBuilder;
let keyId: string;
let store: SharedStore;
let alarms: Alarm[];
let one: SigningReplica;
let two: SigningReplica;
let three: SigningReplica;

beforeEach(() => {
  ledger = createLedgerBuilder();
  keyId = makeReadingKey(ledger, 'binance');
  store = createSharedStore();
  alarms = [];
  [one, two, three] = ([1, 2, 3] as const).map((party) =>
    openSigningReplica({
      party,
      name: 'a',
      ledger,
      store,
      nonces: createNoncesInMemory(),
      takenBefore: 0,
      onAlarm: (alarm) => void alarms.push(alarm),
    }),
  ) as [SigningReplica, SigningReplica, SigningReplica];
});

function newItem(): SignItem {
  const body = { venue_request: { channel: 'rest', method: 'GET', path: '/api/v3/account' } };
  const evidence = ledger.evidenceOf(ledger.admin, 'POST', `/v1/keys/${keyId}/sign`, body);
  const submission = randomBytes(16).toString('hex');
  return { submission, receivedAt: ledger.now, nonce: 0n, evidence };
}

describe("a partner's contribution", () => {
  it('that its party did not sign comes to nothing, and names the party', async () => {
    const items = [newItem(), newItem()];
    await signTogether(ledger, { lead: one, partner: two }, items, false);
    const { treeSignature, ...rest } = two.told();
    const forged = Buffer.from(treeSignature);
    forged[0]! ^= 1;
    const batch = batchFor(ledger, { lead: one, partner: two }, items);
    for (const signature of [forged, Buffer.alloc(0), Buffer.alloc(64)]) {
      alarms = [];
      const given = { ...rest, treeSignature: signature };
      const outcomes = await signAsLead(one.context, batch, given);
      expect(outcomes).toMatchObject(
        items.map(() => ({ outcome: 'retry', isPartnerAtFault: true })),
      );
      expect(alarms).toMatchObject([{ kind: 'party_misbehaved', party: 2 }]);
    }
    const outcomes = await signAsLead(one.context, batch, { ...rest, treeSignature });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['signed', 'signed']);
  });

  it('that is older than a lead takes comes to nothing', async () => {
    const items = [newItem()];
    await signTogether(ledger, { lead: one, partner: two }, items, false);
    const batch = batchFor(ledger, { lead: one, partner: two }, items);
    ledger.now += 5_000;
    const late = await signAsLead(one.context, batch, two.told());
    expect(late).toMatchObject([{ outcome: 'retry', reason: 'the contribution is too old' }]);
  });

  it('with another number of parts is a fault of the partner', async () => {
    const items = [newItem()];
    await signTogether(ledger, { lead: one, partner: two }, items, false);
    const batch = batchFor(ledger, { lead: one, partner: two }, [...items, newItem()]);
    const outcomes = await signAsLead(one.context, batch, two.told());
    expect(outcomes).toHaveLength(2);
    expect(outcomes[0]).toMatchObject({ outcome: 'retry', isPartnerAtFault: true });
  });
});

describe("rows that stand in a lead's way", () => {
  /** The lead's store shows these rows of other leads before it lets the result be written beside them. */
  function plant(replica: SigningReplica, results: readonly StoredResult[]): RecordEntry[] {
    const written: RecordEntry[] = [];
    Object.assign(replica.context, {
      records: {
        write: async (entries: readonly RecordEntry[]) =>
          entries.map((entry) => {
            if (entry.result !== undefined && entry.isBesideOthers !== true) {
              return { message: undefined, results };
            }
            written.push(entry);
            return undefined;
          }),
      },
    });
    return written;
  }

  async function signedElsewhere(item: SignItem): Promise<SignOutcome> {
    const { outcomes } = await signTogether(ledger, { lead: three, partner: two }, [item]);
    return outcomes[0]!;
  }

  it('and do not decode are set apart and named, and the result is written beside them', async () => {
    const item = newItem();
    const written = plant(one, [{ lead: 3, payload: Buffer.from('junk') }]);
    const { outcomes } = await signTogether(ledger, { lead: one, partner: two }, [item]);
    expect(outcomes).toMatchObject([{ outcome: 'signed', receipt: { parties: [1, 2] } }]);
    expect(alarms).toMatchObject([{ kind: 'unreadable_row', party: 3 }]);
    expect(written.map(({ result }) => result?.outcome.outcome)).toEqual(['signed']);
  });

  it('and are forged are as good as not there: another signature, submission or request', async () => {
    const item = newItem();
    const earlier = await signedElsewhere(item);
    if (earlier.outcome !== 'signed') throw new Error(earlier.outcome);
    const foreign = await signedElsewhere(newItem());
    const forgeries: SignOutcome[] = [
      { ...earlier, signature: Buffer.alloc(64, 2) },
      { ...earlier, submission: '00'.repeat(16) },
      { ...earlier, proofs: [earlier.proofs[1], earlier.proofs[0]] },
      foreign,
    ];
    const results = forgeries.map((outcome) => ({ lead: 3, payload: encodeOutcome(outcome) }));
    const written = plant(one, results);
    const { outcomes } = await signTogether(ledger, { lead: one, partner: two }, [item]);
    expect(outcomes).toMatchObject([{ outcome: 'signed', receipt: { parties: [1, 2] } }]);
    expect(alarms.map(({ kind, party }) => [kind, party])).toEqual(
      forgeries.map(() => ['forged_result', 3]),
    );
    expect(written).toHaveLength(1);
  });

  it('and hold are the answer, also when a forged one stands beside them', async () => {
    const item = newItem();
    const earlier = await signedElsewhere(item);
    plant(one, [
      { lead: 2, payload: Buffer.from('junk') },
      { lead: 3, payload: encodeOutcome(earlier) },
    ]);
    const { outcomes } = await signTogether(ledger, { lead: one, partner: two }, [item]);
    expect(outcomes).toMatchObject([{ outcome: 'signed', receipt: { parties: [3, 2] } }]);
    expect(outcomes[0]).toMatchObject({ submission: item.submission });
  });
});

describe('a denial', () => {
  it('of one party alone stops nothing, and goes on record once; of both it is final', async () => {
    const frozen = ledger.view.at(ledger.state.seq, ledger.state.headHash)!;
    const item = newItem();
    const records: string[] = [];
    const write = two.context.records.write.bind(two.context.records);
    Object.assign(two.context.records, {
      write: (entries: readonly RecordEntry[]) => {
        records.push(...entries.map(({ record }) => record.outcome));
        return write(entries);
      },
    });
    // party 2 alone sees no key: as if it had seen the end of it first
    const keys = { ...frozen.state.keys, rows: new Map() };
    const blind = { ...frozen, state: { ...frozen.state, keys } };
    const { follower } = two.context;
    const view = Object.create(follower.view, { at: { value: () => blind } }) as unknown;
    const seeing = Object.create(follower, { view: { value: view } }) as unknown;
    Object.assign(two.context, { follower: seeing });
    for (const pair of [
      { lead: one, partner: two },
      { lead: two, partner: one },
      { lead: one, partner: two },
    ]) {
      const { outcomes } = await signTogether(ledger, pair, [item]);
      expect(outcomes).toMatchObject([{ outcome: 'retry' }]);
    }
    expect(records).toEqual(['denied']);
    const { outcomes } = await signTogether(ledger, { lead: one, partner: three }, [item]);
    expect(outcomes).toMatchObject([{ outcome: 'signed' }]);

    ledger.must(ledger.admin, 'POST', `/v1/keys/freeze?key_ids=${keyId}`);
    const late = await signTogether(ledger, { lead: one, partner: three }, [newItem()]);
    expect(late.outcomes).toMatchObject([{ outcome: 'denied', parties: [1, 3] }]);
  });
});
