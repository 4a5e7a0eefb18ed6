/** The chapters of the recorded story about what parties say of the ledger itself, and of what nobody can read. */
import { sign } from 'node:crypto';
import { acknowledgementMessage, anchorMessage } from '@countersign/core/party-statements.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import {
  encodeAcknowledgement,
  encodeAnchor,
  encodeEvidenceEntry,
} from '@countersign/vault/ledger/write-entry.js';
import { testPrivateKey, testSecret, type LedgerBuilder } from './ledger-builder.ts';

const MINUTE = 60_000;

/** Rows that two parties judge together, with one statement each. */
export function judgeTogether(
  ledger: LedgerBuilder,
  bodies: readonly Uint8Array[],
  parties: readonly PartyNumber[] = [1, 2],
): void {
  for (const body of bodies) ledger.appendRow(body);
  for (const party of parties) ledger.appendRow(ledger.countersignature(party));
  ledger.now += 1_000;
}

const vaultRow = (ledger: LedgerBuilder, display_name: string, timestampMs = ledger.now) =>
  encodeEvidenceEntry(
    ledger.now,
    ledger.evidenceOf(
      ledger.admin,
      'POST',
      '/v1/vaults',
      { display_name },
      {
        timestampMs,
        nonce: testSecret(`nonce of ${display_name}`).subarray(0, 8),
      },
    ),
    ledger.keys,
  );

/** Each pair; late, early, forged and repeated statements, of clocks that are ahead and of another history. */
export function tellOfWords(ledger: LedgerBuilder): void {
  judgeTogether(ledger, [vaultRow(ledger, 'By 2 and 3'), vaultRow(ledger, 'by 2 AND 3')], [2, 3]);
  judgeTogether(ledger, [vaultRow(ledger, 'By 3 and 1')], [3, 1]);
  // one request twice; one that is held back for too long; one of a time to come
  const twice = vaultRow(ledger, 'Twice');
  const stale = vaultRow(ledger, 'Held back', ledger.now - 6 * MINUTE);
  judgeTogether(ledger, [twice, twice, stale, vaultRow(ledger, 'Ahead', Date.UTC(2099, 0))]);
  tellOfClocks(ledger);
  tellOfNoWords(ledger);
}

function tellOfClocks(ledger: LedgerBuilder): void {
  ledger.appendRow(vaultRow(ledger, 'Clocks apart'));
  const say = (party: PartyNumber, after: number) =>
    ledger.appendRow(ledger.countersignature(party, { at: ledger.now + after }));
  say(1, 2 * MINUTE);
  say(2, 0);
  say(1, 0);
  ledger.now += 1_000;
  ledger.appendRow(vaultRow(ledger, 'Two clocks ahead'));
  for (const party of [1, 3] as const) say(party, 4 * MINUTE);
  ledger.now += 1_000;
  ledger.appendRow(vaultRow(ledger, 'And right again'));
  for (const party of [3, 1] as const) say(party, 0);
  ledger.now += 1_000;
}

function tellOfNoWords(ledger: LedgerBuilder): void {
  const { genesisHash } = ledger.state;
  ledger.appendRow(vaultRow(ledger, 'No statements'));
  const { seq, hash } = ledger.rows.at(-1)!;
  const early = ledger.countersignature(1);
  ledger.appendRow(ledger.countersignature(2, { hash: Buffer.alloc(32, 7) }));
  ledger.appendRow(ledger.countersignature(2, { seq: seq + 2 }));
  const forged = ledger.countersignature(2);
  forged[forged.length - 1]! ^= 1;
  ledger.appendRow(forged);
  ledger.appendRow(ledger.countersignature(3, { at: ledger.now + 1_000 }));
  ledger.appendRow(early);
  ledger.appendRow(early);
  for (const party of [1, 2, 1] as const) {
    const statement = { party, seq, hash };
    const signature = sign(
      null,
      acknowledgementMessage(statement, genesisHash),
      testPrivateKey(`party ${party}`),
    );
    ledger.appendRow(encodeAcknowledgement(ledger.now, { ...statement, signature }));
  }
  for (const [party, signedBy] of [
    [1, 1],
    [3, 3],
    [2, 3],
  ] as const) {
    const chains = [{ chainId: `signer-${party}`, seq: 5, hash: testSecret(`chain ${party}`) }];
    const message = anchorMessage({ party, chains }, genesisHash);
    const signature = sign(null, message, testPrivateKey(`party ${signedBy}`));
    ledger.appendRow(encodeAnchor(ledger.now, { party, chains, signature }));
  }
  ledger.append(Buffer.from('not an entry'));
  ledger.now += 2_000;
}
