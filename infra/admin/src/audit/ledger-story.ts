/** The ledger of an export, folded again: what each entry came to, and what was in force at each place. */
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { findRowChanges } from '@countersign/vault/audit/row-changes.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { UnknownRulesError } from '@countersign/vault/ledger/ledger-errors.js';
import type { Rules } from '@countersign/vault/ledger/judging.js';
import { RULES } from '@countersign/vault/ledger/rules.js';
import type { SigningPolicy, VaultState } from '@countersign/vault/state/state.js';
import type { LedgerLine } from './export-line.js';

export interface LedgerStory {
  readonly outcomes: readonly EntryOutcome[];
  /** Up to where it was folded. */
  readonly seq: number;
  /** Why it was folded no further. */
  readonly stoppedBy: string | undefined;
  /** The version of the rules that was in force at a place. */
  rulesAt(seq: number): number;
  /** Whether a rule (`<policy id>/v<version>/<rule id>`) was in force at a place; undefined without the evidence key. */
  hasRuleAt(seq: number, rule: string): boolean | undefined;
}

/** Everything but the verdicts: for those who have no evidence key. */
const WITHOUT_VERDICTS: readonly Rules[] = RULES.map(({ version, operations }) => ({
  version,
  operations,
  judge: (state) => ({ state, facts: {} }),
  settleDue: () => undefined,
}));

/** `lines`: in order, from the first, each with its hash. Throws UnknownEvidenceKeyError for a key file that lacks one. */
export function tellLedger(
  lines: readonly LedgerLine[],
  evidenceKeys: EvidenceKeys | undefined,
): LedgerStory {
  const judges = evidenceKeys !== undefined;
  const fold = createFold(
    judges
      ? { keys: evidenceKeys, findChanges: findRowChanges }
      : { keys: unusedKeys(), rules: WITHOUT_VERDICTS },
  );
  const outcomes: EntryOutcome[] = [];
  const rules = new Steps<number>(1);
  const policies = createPolicyHistory();
  let seq = 0;
  let stoppedBy: string | undefined;
  for (const line of lines) {
    try {
      const prevHash = Buffer.from(line.prevHash, 'hex');
      const hash = Buffer.from(line.hash, 'hex');
      outcomes.push(...fold.advance([{ seq: line.seq, prevHash, hash, body: line.body }]));
    } catch (error) {
      if (!(error instanceof UnknownRulesError)) throw error;
      stoppedBy = error.message;
      break;
    }
    seq = line.seq;
    rules.note(seq, fold.view.rules);
    if (judges) policies.note(seq, fold.view.state);
  }
  return {
    outcomes,
    seq,
    stoppedBy,
    rulesAt: (at) => rules.at(at),
    hasRuleAt: (at, rule) => (judges ? policies.hasRule(at, rule) : undefined),
  };
}

function unusedKeys(): EvidenceKeys {
  return createEvidenceKeys([Buffer.alloc(32)]);
}

/** A value that changes now and then, by the place from which on it holds. */
class Steps<Value> {
  readonly #from: number[] = [];
  readonly #values: Value[];

  constructor(first: Value) {
    this.#from.push(0);
    this.#values = [first];
  }

  note(seq: number, value: Value): void {
    if (this.#values.at(-1) === value) return;
    this.#from.push(seq);
    this.#values.push(value);
  }

  at(seq: number): Value {
    let low = 0;
    let high = this.#from.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#from[middle]! <= seq) low = middle;
      else high = middle;
    }
    return this.#values[low]!;
  }
}

interface PolicyHistory {
  note(seq: number, state: VaultState): void;
  hasRule(seq: number, rule: string): boolean;
}

/** Which version each signing policy was at. */
function createPolicyHistory(): PolicyHistory {
  const byId = new Map<string, Steps<SigningPolicy | undefined>>();
  let noted: VaultState['signingPolicies']['rows'] | undefined;
  return {
    note(seq, { signingPolicies: { rows } }) {
      if (rows === noted) return;
      noted = rows;
      for (const [id, policy] of rows) {
        const steps = byId.get(id) ?? new Steps<SigningPolicy | undefined>(undefined);
        byId.set(id, steps);
        steps.note(seq, policy);
      }
      for (const [id, steps] of byId) if (!rows.has(id)) steps.note(seq, undefined);
    },
    hasRule(seq, rule) {
      const [id = '', version, ruleId] = rule.split('/');
      const policy = byId.get(id)?.at(seq);
      return (
        policy !== undefined &&
        `v${policy.version}` === version &&
        policy.rules.some((one) => one.id === ruleId && one.enabled)
      );
    },
  };
}
