/** The rules of the ledger that the model can do without, to see that it misses them. */
import type { LedgerPin } from '@countersign/runtime/ledger/ledger-pin.js';
import { deny } from '@countersign/core/denials.js';
import type { LoggedEntry } from '@countersign/vault/ledger/entry-types.js';
import { isFreeze } from '@countersign/vault/ledger/logged-entry.js';
import type { Rules } from '@countersign/vault/ledger/judging.js';
import { rulesVersion1 } from '@countersign/vault/ledger/rules-version-1.js';
import type { Disk } from './model-follower.js';
import { FAULT_QUERY } from './model-vault.js';

/** Dropped by what the nodes of the model are given. */
export type DroppedRule =
  | 'a request is judged within its window'
  | 'a freeze is obeyed at sight'
  | 'an unfreezing waits for two parties'
  | 'a head is pinned before a statement'
  | 'a head is pinned before a signature'
  | 'a node follows only what extends its head'
  | 'a pair signs over one head'
  | 'a freeze is acknowledged once nothing older is under way'
  | 'a freeze voids every unfreezing that waits';

/** Two versions, so that parties may disagree about them. */
export function modelRules(dropped?: DroppedRule): readonly Rules[] {
  return [1, 2].map((version) => ({
    version,
    operations: rulesVersion1.operations,
    settleDue: rulesVersion1.settleDue,
    judge: judgeWithout(dropped),
  }));
}

function judgeWithout(dropped: DroppedRule | undefined): Rules['judge'] {
  return (state, entry, moment) => {
    if (findsFault(entry)) throw new Error('a fault of the judge');
    const isSeenOnly = moment.clock === undefined;
    if (dropped === 'a request is judged within its window') {
      return rulesVersion1.judge(state, entry, { ...moment, clock: undefined });
    }
    if (dropped === 'a freeze is obeyed at sight' && isSeenOnly && isFreeze(entry)) {
      return { facts: { refusal: deny('signing_policies', 'not judged yet') } };
    }
    const judgement = rulesVersion1.judge(state, entry, moment);
    if (dropped === 'a freeze voids every unfreezing that waits' && isFreeze(entry)) {
      const { state: after } = judgement;
      return after
        ? { ...judgement, state: { ...after, pendingRequests: state.pendingRequests } }
        : judgement;
    }
    // the optimistic state knows an unfreezing by its operation
    return dropped === 'an unfreezing waits for two parties' && isSeenOnly
      ? { ...judgement, facts: {} }
      : judgement;
  };
}

function findsFault({ content }: LoggedEntry): boolean {
  return content.kind === 'evidence' && content.evidence.query === FAULT_QUERY;
}

/** What makes a pin durable: without these rules it is made so by one of its two uses alone. */
export type PinnedFor = 'any use' | 'statements' | 'signatures';

export function pinnedFor(dropped?: DroppedRule): PinnedFor {
  if (dropped === 'a head is pinned before a statement') return 'signatures';
  return dropped === 'a head is pinned before a signature' ? 'statements' : 'any use';
}

/** A disk that may forget: `use` makes durable what was written before it. */
export class ForgetfulDisk implements Disk {
  pin: LedgerPin | undefined;
  readonly #needs: PinnedFor;
  #written: LedgerPin | undefined;

  constructor(needs: PinnedFor) {
    this.#needs = needs;
  }

  write(pin: LedgerPin): void {
    this.#written = pin;
    if (this.#needs === 'any use') this.pin = pin;
  }

  use(use: PinnedFor): void {
    if (use === this.#needs) this.pin = this.#written;
  }
}
