/** What is not as it should be now, as this gateway sees it. */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { partyOfQueue } from '@countersign/runtime/jobs/names.js';
import { allFreezes } from '@countersign/vault/views/all-freezes.js';
import type { Trouble } from './figure-history.js';
import type { FigureSources } from './figure-sources.js';

/** After its start it hears of nobody yet. */
const SETTLES_MS = 10_000;
/** A countersignature takes a fraction of a second. */
const SLOW_LEDGER_MS = 10_000;
const UNCONFIRMED_MS = 5_000;

export function troublesNow(sources: FigureSources): Trouble[] {
  const { now, startedAt } = sources;
  if (now() - startedAt < SETTLES_MS) return [];
  return [...ledgerTroubles(sources), ...partyTroubles(sources), ...freezesNow(sources)];
}

function* ledgerTroubles(sources: FigureSources): Generator<Trouble> {
  const { follower, governance, prices } = sources;
  const parties: PartyNumber[] = [];
  if (follower.fault !== undefined) yield { kind: 'ledger_stopped', parties };
  else if (follower.confirmedMsAgo > UNCONFIRMED_MS) {
    yield { kind: 'ledger_unconfirmed', parties };
  }
  if ((governance.waitingMs ?? 0) > SLOW_LEDGER_MS) yield { kind: 'ledger_waits', parties };
  if (prices.state() === 'unavailable') yield { kind: 'prices_away', parties };
}

function* partyTroubles({ presence }: FigureSources): Generator<Trouble> {
  for (const party of PARTY_NUMBERS) {
    if (!presence.isAlive(party)) yield { kind: 'party_away', parties: [party] };
  }
  for (const { parties, breaker } of presence.pairs) {
    if (breaker === 'open') yield { kind: 'pair_left_out', parties };
  }
}

/** One for each scope in which anything is frozen. The optimistic state: a freeze is obeyed before it is countersigned. */
function freezesNow({ follower }: FigureSources): Trouble[] {
  const scopes = new Set(allFreezes(follower.view.optimistic).map(({ scope }) => scope));
  return [...scopes].map((scope) => ({ kind: 'frozen', parties: [], scope }));
}

/** Batches that wait for each party, in order. */
export function queuedNow({ queues }: Pick<FigureSources, 'queues'>): number[] {
  return PARTY_NUMBERS.map((party) =>
    queues.figures
      .filter(({ name }) => partyOfQueue(name)?.party === party)
      .reduce((sum, { waiting }) => sum + waiting, 0),
  );
}
