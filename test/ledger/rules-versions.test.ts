/** A second version of the rules beside the first, and how parties go on to it. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Countersignature } from '@countersign/core/party-statements.js';
import { encodeEvidenceEntry, encodeGenesis } from '@countersign/vault/ledger/write-entry.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { UnknownRulesError } from '@countersign/vault/ledger/ledger-errors.js';
import { nextCountersignature } from '@countersign/vault/ledger/next-countersignature.js';
import { NEWEST_RULES, RULES } from '@countersign/vault/ledger/rules.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import {
  createLedgerBuilder,
  rechain,
  START,
  testGenesis,
  type LedgerBuilder,
} from '../support/ledger-builder.ts';
import { tomorrowsRules } from '../support/tomorrows-rules.ts';

const BOTH = [...RULES, tomorrowsRules(2)];

let ledger: LedgerBuilder;

beforeEach(() => {
  ledger = createLedgerBuilder({ rules: BOTH });
});

function append(target: string, body: object): number {
  const evidence = ledger.evidenceOf(ledger.admin, 'POST', target, body);
  ledger.appendRow(encodeEvidenceEntry(ledger.now, evidence, ledger.keys));
  return ledger.rows.length;
}

const appendVault = () => append('/v1/vaults', { display_name: `desk ${ledger.rows.length}` });

const speak = (party: PartyNumber, rules: number, more: Partial<Countersignature> = {}) =>
  ledger.appendRow(ledger.countersignature(party, { rules, newestRules: rules, ...more }));

/** By two parties, under these rules. */
function judge(rules: number): void {
  for (const party of [1, 2] as const) speak(party, rules);
}

const outcomeOf = (seq: number) => ledger.outcomes.find((outcome) => outcome.seq === seq);
const vaults = () => ledger.state.vaults.rows.size;

it('this release has one version', () => {
  expect(RULES.map(({ version }) => version)).toEqual([1]);
  expect(NEWEST_RULES).toBe(1);
});

describe('an entry', () => {
  const told = ({ seq, refusal, judgedBy }: EntryOutcome) => [seq, refusal, judgedBy?.rules];

  it('keeps the meaning that it had, and the next one has the new one', () => {
    const before = appendVault();
    judge(1);
    const after = appendVault();
    judge(2);
    const other = append('/v1/user-groups', { display_name: 'Traders' });
    judge(2);
    expect(outcomeOf(before)).toMatchObject({ refusal: undefined, judgedBy: { rules: 1 } });
    expect(outcomeOf(after)).toMatchObject({
      refusal: { message: 'no more vaults' },
      judgedBy: { rules: 2 },
    });
    expect(outcomeOf(other)).toMatchObject({ refusal: undefined, judgedBy: { rules: 2 } });
    const again = createFold({ keys: ledger.keys, rules: BOTH });
    expect(again.advance(ledger.rows).map(told)).toEqual(ledger.outcomes.map(told));
    expect(stateHash(again.view.state)).toBe(stateHash(ledger.state));
    expect(vaults()).toBe(1);
  });

  it('shows in the optimistic state as the rules in force would judge it', () => {
    appendVault();
    judge(2);
    appendVault();
    expect(ledger.view.optimistic.vaults.rows.size).toBe(0);
  });

  it('is judged by nobody while two parties do not agree by which rules', () => {
    appendVault();
    speak(1, 1);
    speak(2, 2);
    expect([vaults(), ledger.view.pending.length]).toEqual([0, 1]);
  });
});

describe('a node that lacks a version', () => {
  const judgedBySecond = (): LedgerBuilder => {
    appendVault();
    judge(2);
    return ledger;
  };

  it('stops at what two parties judged by it, and says which', () => {
    const { rows, keys } = judgedBySecond();
    const fold = createFold({ keys });
    fold.advance(rows.slice(0, -1));
    expect(() => fold.advance(rows.slice(-1))).toThrow(UnknownRulesError);
    expect(() => createFold({ keys }).advance(rows)).toThrow(/version 2 of the rules/);
  });

  it('goes on while one party alone names it', () => {
    appendVault();
    speak(3, 2);
    const fold = createFold({ keys: ledger.keys });
    fold.advance(ledger.rows);
    expect(fold.view.pending).toHaveLength(1);
  });

  it('does not begin under it', () => {
    const fresh = createLedgerBuilder({ genesis: false });
    const genesis = { ...testGenesis(fresh.admin), rules_version: 2 };
    const rows = rechain([encodeGenesis(START, genesis)]);
    const begun = createFold({ keys: fresh.keys, rules: BOTH });
    begun.advance(rows);
    expect(begun.view.rules).toBe(2);
    expect(() => createFold({ keys: fresh.keys }).advance(rows)).toThrow(UnknownRulesError);
  });
});

describe('parties', () => {
  const statementOf = (party: PartyNumber, newestRules: number) =>
    nextCountersignature(ledger.view, { party, newestRules, spoken: undefined }, ledger.now)!;

  it('go on to rules once the third of them knows them, while they are brought up one by one', () => {
    const judgedUnder: number[] = [];
    for (const upgraded of [0, 1, 2, 3, 3]) {
      appendVault();
      for (const party of [1, 2, 3] as const) {
        const statement = statementOf(party, party <= upgraded ? 2 : 1);
        if (statement !== undefined) speak(party, statement.rules, statement);
        if (ledger.view.pending.length === 0) break;
      }
      ledger.now += 1_000;
      // the last one speaks as well: it keeps what it knows up to date
      speak(3, ledger.view.rules, { newestRules: upgraded === 3 ? 2 : 1 });
      judgedUnder.push(ledger.view.rules);
    }
    expect(judgedUnder).toEqual([1, 1, 1, 1, 2]);
    expect(vaults()).toBe(4);
  });

  it('do not go back: a statement that names rules out of use is refused', () => {
    appendVault();
    judge(2);
    appendVault();
    const [first, second, third] = ([1, 2, 3] as const).map((party) => {
      ledger.appendRow(ledger.countersignature(party, { rules: 1, newestRules: 1 }));
      return ledger.rows.length;
    });
    expect(ledger.view.pending).toHaveLength(1);
    judge(2);
    expect(ledger.view.pending).toHaveLength(0);
    for (const seq of [first!, second!, third!]) {
      expect(outcomeOf(seq)?.refusal).toMatchObject({
        refused: 'resource_conflict',
        message: 'the statement names rules that are out of use',
      });
    }
  });
});
