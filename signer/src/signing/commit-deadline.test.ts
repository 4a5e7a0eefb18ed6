import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createLedgerBuilder } from '../../../test/support/ledger-builder.js';
import {
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
} from '../../../test/support/signing-replicas.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';
import type { RecordEntry } from '../records/record-entry.js';

const LEASE_NOW = 77;

it('a signature may be sent to the database for two seconds by the clock of leases, whatever other clocks say', async () => {
  const ledger = createLedgerBuilder();
  const keyId = makeReadingKey(ledger, 'binance');
  const store = createSharedStore();
  const open = (party: 1 | 2) =>
    openSigningReplica({
      ...{ party, name: 'a', ledger, store, takenBefore: 0, nonces: createNoncesInMemory() },
    });
  const [lead, partner] = [open(1), open(2)];
  const written: RecordEntry[] = [];
  const { records } = lead.context;
  const watched = {
    ...lead.context,
    leaseClock: () => LEASE_NOW,
    records: {
      ...records,
      write(entries: readonly RecordEntry[]) {
        written.push(...entries);
        return records.write(entries);
      },
    },
  };
  const body = { venue_request: { channel: 'rest', method: 'GET', path: '/api/v3/account' } };
  const evidence = ledger.evidenceOf(ledger.admin, 'POST', `/v1/keys/${keyId}/sign`, body);
  const submission = randomBytes(16).toString('hex');
  const item = { submission, receivedAt: ledger.now, nonce: 0n, evidence };
  await signTogether(ledger, { lead: { ...lead, context: watched }, partner }, [item]);
  expect(written.map(({ until }) => until)).toEqual([LEASE_NOW + 2_000]);
});
