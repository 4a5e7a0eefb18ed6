/** A declared evidence key that two parties trust no longer: nothing new that is sealed under it counts. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import { type StatementOf } from '@countersign/vault/ledger/entry.js';
import {
  encodeEvidenceEntry,
  encodeEvidenceKeyWithdrawal,
} from '@countersign/vault/ledger/write-entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { isUsableEvidenceKey, isWithdrawnEvidenceKey } from '@countersign/vault/state/state.js';
import { createLedgerBuilder, testSecret, type LedgerBuilder } from '../support/ledger-builder.ts';
import {
  appendEvidenceKey,
  appendWithdrawal,
  signedEvidenceKey,
  signedWithdrawal,
} from '../support/party-facts.ts';

const stolen = createEvidenceKeys([testSecret('evidence key')]);
const fresh = createEvidenceKeys([testSecret('next evidence key')]);
const held = createEvidenceKeys([testSecret('next evidence key'), testSecret('evidence key')]);
const [oldId] = stolen.ids;
const [newId] = fresh.ids;

let ledger: LedgerBuilder;
let name = 0;

/** All three parties hold a new key beside that of the genesis. */
function openRotated(): void {
  ledger = createLedgerBuilder({ keys: held });
  for (const party of PARTY_NUMBERS) {
    appendEvidenceKey(ledger, signedEvidenceKey(ledger, party, newId));
  }
}

beforeEach(openRotated);

const withdraw = (party: PartyNumber, keyId = oldId) =>
  appendWithdrawal(ledger, signedWithdrawal(ledger, party, keyId));

function newVault(keys: typeof held): Buffer {
  name += 1;
  const evidence = ledger.evidenceOf(ledger.admin, 'POST', '/v1/vaults', {
    display_name: `Desk ${name}`,
  });
  return encodeEvidenceEntry(ledger.now, evidence, keys);
}

const WITHDRAWN = {
  refused: 'unauthorized',
  message: 'sealed under an evidence key that was withdrawn',
};
const refusalOf = ({ refusal }: EntryOutcome) => refusal?.refused;

describe('an evidence key', () => {
  it('counts as before after the statement of one party, which may say it once', () => {
    expect(withdraw(2).refusal).toBeUndefined();
    for (let again = 0; again < 3; again++) {
      expect(withdraw(2).refusal).toMatchObject({ refused: 'resource_conflict' });
    }
    expect(ledger.state.evidenceKeys[0]).toEqual({
      id: oldId,
      heldBy: [1, 2, 3],
      withdrawnBy: [2],
    });
    expect(isUsableEvidenceKey(ledger.state, oldId)).toBe(true);
    expect(ledger.append(newVault(stolen)).refusal).toBeUndefined();
  });

  it('counts no longer once two have said so, in whatever order', () => {
    expect(withdraw(3).refusal).toBeUndefined();
    expect(withdraw(1)).toMatchObject({
      kind: 'evidence-key-withdrawal',
      refusal: undefined,
      actorId: 'party_1',
      subject: { resourceType: 'evidence_key', resourceIds: [oldId] },
    });
    expect(ledger.state.evidenceKeys[0]?.withdrawnBy).toEqual([1, 3]);
    expect(isWithdrawnEvidenceKey(ledger.state, oldId)).toBe(true);
    expect(ledger.append(newVault(stolen)).refusal).toMatchObject(WITHDRAWN);
    expect(ledger.append(newVault(fresh)).refusal).toBeUndefined();
    // there is nothing left for the third to say
    expect(refusalOf(withdraw(2))).toBe('resource_conflict');
  });

  it('leaves what was judged before as it was, and stays withdrawn at every node that folds it', () => {
    const { subject } = ledger.append(newVault(stolen));
    for (const party of [1, 2] as const) withdraw(party);
    ledger.append(newVault(stolen));
    expect([...ledger.state.vaults.rows.keys()]).toEqual(subject?.resourceIds);
    const other = createLedgerBuilder({ keys: held, genesis: false });
    for (const { body } of ledger.rows) other.appendRow(body);
    expect(stateHash(other.state)).toBe(stateHash(ledger.state));
  });

  it('is not declared again by anybody', () => {
    for (const party of [1, 2] as const) withdraw(party);
    for (const party of PARTY_NUMBERS) {
      const outcome = appendEvidenceKey(ledger, signedEvidenceKey(ledger, party, oldId));
      expect(refusalOf(outcome)).toBe('resource_conflict');
    }
    expect(ledger.append(newVault(stolen)).refusal).toMatchObject(WITHDRAWN);
  });

  it('takes with it what waits for two parties while they withdraw it', () => {
    const statements = ([1, 2] as const).map((party) =>
      encodeEvidenceKeyWithdrawal(ledger.now, signedWithdrawal(ledger, party, oldId)),
    );
    // the first waits in front of the withdrawal, and was appended while the key was good
    for (const body of [newVault(stolen), ...statements, newVault(stolen)]) ledger.appendRow(body);
    expect(ledger.view.pending).toHaveLength(4);
    const { seq, hash } = ledger.rows.at(-1)!;
    const said = ([1, 2] as const).map((party) => ledger.countersignature(party, { seq, hash }));
    const judged = said.flatMap((body) => ledger.appendRow(body));
    const refusals = judged.filter(({ kind }) => kind === 'evidence').map(({ refusal }) => refusal);
    expect(refusals).toEqual([undefined, WITHDRAWN]);
  });

  it('brings in no freeze either: nobody obeys at sight what was sealed under it', () => {
    for (const party of [1, 2] as const) withdraw(party);
    const freeze = (keys: typeof held) => {
      const evidence = ledger.evidenceOf(ledger.admin, 'POST', '/v1/system/freeze', {});
      ledger.appendRow(encodeEvidenceEntry(ledger.now, evidence, keys));
      return ledger.view.optimistic.systemFreeze !== null;
    };
    expect(freeze(stolen)).toBe(false);
    expect(freeze(fresh)).toBe(true);
  });

  it('is shown as withdrawn, and by whom, in the audit log', () => {
    withdraw(1);
    const view = ledgerEntryView(withdraw(2));
    expect(view).toMatchObject({
      actor: 'party_2',
      action: 'evidence_key_withdrawal',
      resource: { type: 'evidence_key', ids: [oldId] },
      outcome: 'allowed',
    });
    expect(JSON.stringify(view.details)).toMatch(/withdrawn/);
  });
});

describe('the last evidence key that is left', () => {
  it('is never withdrawn', () => {
    for (const party of [1, 2] as const) withdraw(party);
    for (const party of PARTY_NUMBERS)
      expect(refusalOf(withdraw(party, newId))).toBe('resource_conflict');
    expect(ledger.append(newVault(fresh)).refusal).toBeUndefined();
  });

  it('is not the last because there is one that only some parties hold', () => {
    ledger = createLedgerBuilder({ keys: held });
    for (const party of [1, 2] as const) {
      appendEvidenceKey(ledger, signedEvidenceKey(ledger, party, newId));
    }
    for (const party of PARTY_NUMBERS) expect(refusalOf(withdraw(party))).toBe('resource_conflict');
    expect(isUsableEvidenceKey(ledger.state, oldId)).toBe(true);
  });

  it('stays also where two parties had said no to each of two', () => {
    withdraw(1, newId);
    for (const party of [2, 3] as const) withdraw(party);
    expect(refusalOf(withdraw(2, newId))).toBe('resource_conflict');
    expect(isUsableEvidenceKey(ledger.state, newId)).toBe(true);
  });
});

describe("a party's statement against an evidence key is refused", () => {
  function expectRefused(fact: StatementOf<'evidence-key-withdrawal'>, refused: string): void {
    const before = ledger.state.evidenceKeys;
    expect(refusalOf(appendWithdrawal(ledger, fact))).toBe(refused);
    expect(ledger.state.evidenceKeys).toBe(before);
  }

  it.each<[string, Partial<StatementOf<'evidence-key-withdrawal'>>]>([
    ['party', { party: 1 }],
    ['key', { evidenceKeyId: newId }],
    ['signature', { signature: Buffer.alloc(64) }],
  ])('whose %s is not what the party signed', (_what, change) => {
    expectRefused({ ...signedWithdrawal(ledger, 2, oldId), ...change }, 'unauthorized');
  });

  it('that is its statement for the key', () => {
    expectRefused(signedEvidenceKey(ledger, 2, oldId), 'unauthorized');
  });

  it('from another vault', () => {
    const other = createLedgerBuilder({ genesis: false });
    expectRefused(signedWithdrawal(other, 2, oldId), 'unauthorized');
  });

  it('for a key that is not declared', () => {
    expectRefused(signedWithdrawal(ledger, 2, '00'.repeat(8)), 'resource_not_found');
  });
});
