/** What in the figures somebody has to look at, and what they can do: alarms of the last day included. */
import { durationWords } from '../../design/duration-words.js';
import type { Figures } from './live-figures.js';

export interface Finding {
  readonly what: string;
  readonly whatToDo: string;
  /** `bad`: nothing is signed, or something is wrong. `warn`: it soon may be. */
  readonly mood: 'bad' | 'warn';
  /** Names of pages in docs/how-to/runbooks. */
  readonly runbooks: readonly string[];
}

/** A countersignature takes a fraction of a second. */
const SLOW_LEDGER_MS = 10_000;
const BUSY = 0.9;

export function findingsOf(figures: Figures): readonly Finding[] {
  return [
    ...ledgerFindings(figures),
    ...accusations(figures),
    ...partyFindings(figures),
    ...requestFindings(figures),
    ...gatewayFindings(figures),
  ].toSorted((a, b) => Number(b.mood === 'bad') - Number(a.mood === 'bad'));
}

function* ledgerFindings({ ledger, freezes }: Figures): Generator<Finding> {
  if (ledger.is_stopped) {
    yield bad(
      'CountersignLedgerStopped',
      'This gateway has stopped following the ledger.',
      'Read its log and the alarms; compare the heads of all nodes before you start it again.',
    );
  }
  if (ledger.pending > 0 && (ledger.oldest_ms ?? 0) > SLOW_LEDGER_MS) {
    yield bad(
      'CountersignGovernanceStuck',
      `${ledger.pending} changes have waited for two countersignatures for ${durationWords(ledger.oldest_ms ?? 0)}.`,
      'Start the primary replicas of at least two parties again, and compare their clocks.',
    );
  }
  if (freezes.by_scope['system'] !== 0) {
    yield bad(
      'CountersignFrozen',
      'The whole system is frozen.',
      'See under Freezes why, and lift it there when it is over.',
    );
  }
}

/** One for each alarm that accuses nobody, and one for each party that is accused, down or both. */
function* accusations(figures: Figures): Generator<Finding> {
  const { alarms, parties } = figures;
  for (const { kind, parties: accused, what_to_do: advice } of alarms) {
    if (accused.length === 0) yield bad(kind, `There is an alarm: ${kindWords(kind)}.`, advice);
  }
  const down = downOf(parties);
  for (const party of new Set(alarms.flatMap((alarm) => alarm.parties))) {
    const against = alarms.filter((alarm) => alarm.parties.includes(party));
    const kinds = against.map(({ kind }) => kindWords(kind)).join(', ');
    const isDown = down.length === 1 && down[0] === party;
    const named = [...new Set(against.map(({ kind }) => kind))];
    yield bad(
      isDown ? [...named, 'CountersignPartyDown'] : named,
      `Party ${party} is accused: ${kinds}.${isDown ? ' No replica of it is heard either.' : ''}`,
      [...new Set(against.map(({ what_to_do: advice }) => advice)), placeOf(figures, party)].join(
        ' ',
      ),
    );
  }
}

/** Where the party runs, as far as a gateway knows it: replicas are named by who runs them. */
function placeOf({ parties }: Figures, party: number): string {
  const names = parties.find((one) => one.party === party)?.replicas.map(({ name }) => name) ?? [];
  return names.length === 0
    ? `No replica of party ${party} is heard now: whoever runs it knows its host.`
    : `Party ${party} runs as ${names.map((name) => `“${name}”`).join(', ')}.`;
}

const kindWords = (kind: string): string => kind.replaceAll('_', ' ');

function downOf(parties: Figures['parties']): number[] {
  return parties.filter(({ is_alive: isAlive }) => !isAlive).map(({ party }) => party);
}

function* partyFindings(figures: Figures): Generator<Finding> {
  const { parties, pairs, alarms } = figures;
  const down = downOf(parties);
  if (down.length > 1) {
    yield bad(
      'CountersignPartyDown',
      `Parties ${down.join(' and ')} are down: nothing is signed.`,
      'Start them again: two of three must be there.',
    );
  }
  const [only] = down;
  const isToldOf = alarms.some((alarm) => alarm.parties.some((party) => party === only));
  if (only !== undefined && down.length === 1 && !isToldOf) {
    yield warn(
      'CountersignPartyDown',
      `Party ${only} is down.`,
      `Start it again: the other two sign on, and nobody may fall out besides. ${placeOf(figures, only)}`,
    );
  }
  const newest = Math.max(...parties.map(({ head }) => head?.newest_rules_version ?? 0));
  for (const { party, head, replicas } of parties) {
    if (head !== null && head.newest_rules_version < newest) {
      yield warn(
        'CountersignLedgerStopped',
        `Party ${party} has an older release than others (rules ${head.newest_rules_version} of ${newest}).`,
        'Bring it up to date.',
      );
    }
    for (const { name, failures, has_answered: hasAnswered } of replicas) {
      if (failures === 0 || hasAnswered) continue;
      yield warn(
        'CountersignQueueOld',
        `Replica ${name} of party ${party} did not answer ${failures} batches in a row.`,
        'Look at its log and its host; stop it if it repeats.',
      );
    }
  }
  for (const { parties: two, breaker } of pairs) {
    if (breaker !== 'open') continue;
    yield warn(
      'CountersignPairUnanswered',
      `Parties ${two.join(' and ')} are left out as a pair: it did not answer in time, while another pair did.`,
      'Look at the network between both, and at the load of their hosts. They are tried again by themselves.',
    );
  }
}

function* requestFindings({ stuck_requests: stuck, signing, prices }: Figures): Generator<Finding> {
  if (stuck.length > 0) {
    yield bad(
      'CountersignQueueOld',
      `Requests wait for a signature for too long: ${stuck.length}.`,
      'They are listed below. Look whether two parties are alive and their queues get shorter.',
    );
  }
  if (signing.failed > 0) {
    yield warn(
      'CountersignSignFailures',
      `${signing.failed} requests for signatures had no answer in the last ${signing.window_s} s.`,
      'Their reasons are under “Refused and failed”.',
    );
  }
  if (prices.state === 'unavailable') {
    yield warn(
      'CountersignPricesStale',
      'There are no prices: rules on values in US dollars deny everything.',
      'Look at the price relays and their clocks.',
    );
  }
}

function* gatewayFindings({ gateway }: Figures): Generator<Finding> {
  if (gateway.event_loop_use > BUSY) {
    yield warn(
      'CountersignEventLoopSlow',
      'This gateway is at its limit.',
      'Start another one beside it.',
    );
  }
  if (gateway.database_connections['waiting'] !== 0) {
    yield warn(
      'CountersignPoolExhausted',
      'Queries of this gateway wait for the database.',
      'Look at the load of the database, and at how many connections it allows.',
    );
  }
}

function bad(runbooks: string | readonly string[], what: string, whatToDo: string): Finding {
  return { what, whatToDo, mood: 'bad', runbooks: [runbooks].flat() };
}

function warn(runbook: string, what: string, whatToDo: string): Finding {
  return { what, whatToDo, mood: 'warn', runbooks: [runbook] };
}
