/** A probe of health at two parties: what it shows, and that it is nothing to sign. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeProbe } from '@countersign/runtime/jobs/signing-probe.js';
import { createLedgerBuilder, type LedgerBuilder } from '../../../test/support/ledger-builder.js';
import {
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
  type SigningReplica,
} from '../../../test/support/signing-replicas.js';

let ledger: LedgerBuilder;
let one: SigningReplica;
let two: SigningReplica;
let written: number;

beforeEach(() => {
  ledger = createLedgerBuilder();
  written = 0;
  const store = createSharedStore();
  [one, two] = ([1, 2] as const).map((party) => {
    const nonces = createNoncesInMemory();
    const replica = openSigningReplica({
      ...{ party, name: 'a', ledger, store, nonces, takenBefore: 0 },
    });
    const { records } = replica.context;
    const write: typeof records.write = (entries) => {
      written += entries.length;
      return records.write(entries);
    };
    Object.assign(replica.context, { records: { ...records, write } });
    return replica;
  }) as [SigningReplica, SigningReplica];
});

const probe = () => signTogether(ledger, { lead: one, partner: two }, [makeProbe(ledger.now)]);

function breakRecords({ context }: SigningReplica): void {
  const findTrouble = async () => 'permission denied';
  Object.assign(context, { records: { ...context.records, findTrouble } });
}

describe('a probe', () => {
  it('is denied by both parties, signed as that, and recorded nowhere', async () => {
    const { outcomes, letOut } = await probe();
    expect(outcomes).toMatchObject([{ outcome: 'denied', parties: [1, 2] }]);
    expect(letOut).toEqual([]);
    expect(written).toBe(0);
  });

  it.each(['lead', 'partner'])('comes to nothing while its %s can record nothing', async (who) => {
    breakRecords(who === 'lead' ? one : two);
    const { outcomes } = await probe();
    expect(outcomes).toMatchObject([{ outcome: 'retry' }]);
  });

  it('is denied whatever somebody with the evidence key writes into it', async () => {
    const item = makeProbe(ledger.now);
    for (const changes of [
      { method: 'POST', path: '/v1/raw-sign', body: Buffer.from('{"message":"00"}') },
      { credential: 'unknown', assertion: Buffer.alloc(64) },
    ]) {
      const evidence = { ...item.evidence, ...changes };
      const pair = { lead: one, partner: two };
      const { outcomes } = await signTogether(ledger, pair, [{ ...item, evidence }]);
      expect(outcomes).toMatchObject([{ outcome: 'denied' }]);
    }
  });
});
