/** Which evidence keys count: those of the genesis, and those that all three parties hold. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { type StatementOf } from '@countersign/vault/ledger/entry.js';
import { encodeEvidenceEntry, encodeEvidenceKey } from '@countersign/vault/ledger/write-entry.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { isDeclaredEvidenceKey } from '@countersign/vault/state/state.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createLedgerBuilder, testSecret, type LedgerBuilder } from '../support/ledger-builder.ts';
import { appendEvidenceKey, signedEvidenceKey } from '../support/party-facts.ts';

const NEW_VAULT = ['POST', '/v1/vaults', { display_name: 'Desk' }] as const;
const OLD_KEY = testSecret('evidence key');
const NEW_KEY = testSecret('next evidence key');
const rotated = createEvidenceKeys([NEW_KEY, OLD_KEY]);
const [newId] = rotated.ids;

let ledger: LedgerBuilder;
beforeEach(() => {
  ledger = createLedgerBuilder();
});

const vouch = (party: PartyNumber) =>
  appendEvidenceKey(ledger, signedEvidenceKey(ledger, party, newId));

/** What a node that holds both keys makes of a request sealed under the new one, behind the ledger so far. */
function refusalUnderNewKey(): string | undefined {
  const other = createLedgerBuilder({ keys: rotated, genesis: false });
  for (const { body } of ledger.rows) other.append(body);
  other.now = ledger.now;
  return other.send(ledger.admin, ...NEW_VAULT).refusal?.message;
}

describe('an evidence key', () => {
  it('of the genesis counts from the start', () => {
    expect(isDeclaredEvidenceKey(ledger.state, ledger.keys.ids[0])).toBe(true);
    expect(ledger.state.evidenceKeys).toEqual([{ id: ledger.keys.ids[0], heldBy: [1, 2, 3] }]);
  });

  it('that is new counts once all three parties hold it, and not before', () => {
    for (const party of [2, 3] as const) {
      expect(vouch(party).refusal).toBeUndefined();
      expect(isDeclaredEvidenceKey(ledger.state, newId)).toBe(false);
      expect(refusalUnderNewKey()).toMatch(/not declared/);
    }
    expect(vouch(1)).toMatchObject({
      kind: 'evidence-key',
      refusal: undefined,
      actorId: 'party_1',
      subject: { resourceType: 'evidence_key', resourceIds: [newId] },
    });
    expect(ledger.state.evidenceKeys.at(-1)).toEqual({ id: newId, heldBy: [1, 2, 3] });
    expect(refusalUnderNewKey()).toBeUndefined();
  });

  it('that is old still counts after a rotation', () => {
    for (const party of [1, 2, 3] as const) vouch(party);
    expect(ledger.send(ledger.admin, ...NEW_VAULT).refusal).toBeUndefined();
  });

  it('that nobody vouched for stops no node and makes no difference who holds it', () => {
    const evidence = ledger.evidenceOf(ledger.admin, ...NEW_VAULT);
    ledger.append(encodeEvidenceEntry(ledger.now, evidence, rotated));
    const withBoth = createFold({ keys: rotated });
    withBoth.advance(ledger.rows);
    expect(stateHash(withBoth.view.state)).toBe(stateHash(ledger.state));
    expect(ledger.state.vaults.rows.size).toBe(0);
  });

  it('means nothing in the ledger in the form in which everything else is sealed', () => {
    const evidence = ledger.evidenceOf(ledger.admin, ...NEW_VAULT);
    const keys = { sealEntry: ledger.keys.seal };
    const { refusal } = ledger.append(encodeEvidenceEntry(ledger.now, evidence, keys));
    expect(refusal?.message).toMatch(/not declared/);
    expect(ledger.state.vaults.rows.size).toBe(0);
  });

  it("does not move the vault's time by a statement's own date", () => {
    const { now } = ledger;
    const fact = signedEvidenceKey(ledger, 1, newId);
    ledger.append(encodeEvidenceKey(now + 365 * 86_400_000, fact));
    expect(ledger.state.time).toBe(now);
  });
});

describe("a party's statement for an evidence key is refused", () => {
  function expectRefused(fact: StatementOf<'evidence-key'>, refused: string): void {
    const before = ledger.state.evidenceKeys;
    expect(appendEvidenceKey(ledger, fact).refusal?.refused).toBe(refused);
    expect(ledger.state.evidenceKeys).toBe(before);
  }

  it('the second time', () => {
    vouch(3);
    expectRefused(signedEvidenceKey(ledger, 3, newId), 'resource_conflict');
    expectRefused(signedEvidenceKey(ledger, 3, ledger.keys.ids[0]), 'resource_conflict');
  });

  it.each<[string, (fact: StatementOf<'evidence-key'>) => Partial<StatementOf<'evidence-key'>>]>([
    ['party', () => ({ party: 1 })],
    ['key', () => ({ evidenceKeyId: '00'.repeat(8) })],
    ['signature', () => ({ signature: Buffer.alloc(64) })],
  ])('whose %s is not what the party signed', (_what, change) => {
    const fact = signedEvidenceKey(ledger, 2, newId);
    expectRefused({ ...fact, ...change(fact) }, 'unauthorized');
  });

  it('from another vault', () => {
    const other = createLedgerBuilder({ genesis: false });
    expectRefused(signedEvidenceKey(other, 2, newId), 'unauthorized');
  });
});
