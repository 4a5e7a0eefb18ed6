import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { makeProbe } from '@countersign/runtime/jobs/signing-probe.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import { digestOf, requestIdOf } from '@countersign/core/evidence.js';
import { createLedgerBuilder } from '../../../test/support/ledger-builder.js';
import {
  createNoncesInMemory,
  createSharedStore,
  openSigningReplica,
  signTogether,
} from '../../../test/support/signing-replicas.js';
import { makeReadingKey } from '../../../test/support/venue-reading-key.js';

/** Parties 1 and 2, a key that both sign with, and what they have logged. */
function openPair(level = 'info') {
  const ledger = createLedgerBuilder();
  const keyId = makeReadingKey(ledger, 'binance');
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const store = createSharedStore();
  const open = (party: 1 | 2) =>
    openSigningReplica({
      ...{ party, name: 'a', ledger, store, takenBefore: 0, nonces: createNoncesInMemory() },
      logger: createLogger(`party_${party}`, level, { write }),
    });
  const pair = { lead: open(1), partner: open(2) };

  function ask(path: string) {
    const body = { venue_request: { channel: 'rest', method: 'GET', path } };
    const evidence = ledger.evidenceOf(ledger.admin, 'POST', `/v1/keys/${keyId}/sign`, body);
    const submission = randomBytes(16).toString('hex');
    const item = { submission, receivedAt: ledger.now, nonce: 0n, evidence };
    return { item, requestId: requestIdOf(digestOf(evidence)) };
  }

  return { ledger, keyId, pair, lines, ask };
}

const always = { level: 'info', time: expect.any(String), duration_ms: expect.any(Number) };

it('a signature leaves a line at each of its parties, and says what and nothing else', async () => {
  const { ledger, keyId, pair, lines, ask } = openPair();
  const { item, requestId } = ask('/api/v3/account');
  await signTogether(ledger, pair, [item]);
  const common = { ...always, request_id: requestId, key_id: keyId, parties: '1,2' };
  expect(lines).toEqual([
    { ...common, name: 'party_2', event: 'signing_joined', outcome: 'contributed' },
    { ...common, name: 'party_1', event: 'signing_led', outcome: 'signed' },
  ]);
});

it('what is denied leaves its lines as well', async () => {
  const { ledger, pair, lines, ask } = openPair();
  const { item, requestId } = ask('/sapi/v1/capital/withdraw/apply');
  await signTogether(ledger, pair, [item]);
  const common = { ...always, request_id: requestId, outcome: 'denied', parties: '1,2' };
  expect(lines).toEqual([
    { ...common, name: 'party_2', event: 'signing_joined' },
    { ...common, name: 'party_1', event: 'signing_led' },
  ]);
});

it('what comes to nothing again and again leaves one line, and a probe none', async () => {
  const { ledger, pair, lines, ask } = openPair();
  const { item } = ask('/api/v3/account');
  pair.lead.context.requests.recall = () => ({ at: 1, nonce: 7n, sha256: 'another' });
  for (let time = 0; time < 3; time++) {
    await signTogether(ledger, pair, [{ ...item, submission: randomBytes(16).toString('hex') }]);
  }
  await signTogether(ledger, pair, [makeProbe(ledger.now)]).catch(() => undefined);
  const words = lines.map(({ event, outcome }) => `${String(event)} ${String(outcome)}`);
  expect(words.filter((word) => word === 'signing_led retry')).toHaveLength(1);
  expect(new Set(words)).toEqual(new Set(['signing_joined contributed', 'signing_led retry']));
});

it('what a gateway asks for again and again leaves the line of each end once', async () => {
  const { ledger, pair, lines, ask } = openPair();
  const { item } = ask('/sapi/v1/capital/withdraw/apply');
  for (let time = 0; time < 3; time++) {
    await signTogether(ledger, pair, [{ ...item, submission: randomBytes(16).toString('hex') }]);
  }
  expect(lines.map(({ event }) => event)).toEqual(['signing_joined', 'signing_led']);
});

it('nothing is logged below the level that is asked for', async () => {
  const { ledger, pair, lines, ask } = openPair('warn');
  await signTogether(ledger, pair, [ask('/api/v3/account').item]);
  expect(lines).toEqual([]);
});
