/** What the line on every page says of the vault's health: each a few words, and whether somebody has to look. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { durationWords } from '../design/duration-words.js';
import type { Mood } from '../design/mood-icon.js';

type Figures = OperationValue<'get-system-operations'>;

export interface HealthFact {
  readonly name: string;
  readonly value: string;
  readonly mood: Mood;
}

const PARTIES = 3;
/** Somebody who waits longer notices. */
const SLOW_MS = 500;
const LONG_QUEUE = 100;

export function healthFacts(figures: Figures, newAlarms: number): HealthFact[] {
  const { parties, signing, freezes } = figures;
  const alive = parties.filter(({ is_alive: isAlive }) => isAlive).length;
  const queued = signing.waiting + depthOf(parties);
  const p99 = signing.latency?.p99_ms;
  return [
    { name: 'Parties signing', value: `${alive}/${PARTIES}`, mood: partiesMood(alive) },
    { name: 'Queue', value: String(queued), mood: queued > LONG_QUEUE ? 'warn' : 'plain' },
    {
      name: 'p99',
      value: p99 === undefined ? 'no requests' : durationWords(p99),
      mood: p99 !== undefined && p99 > SLOW_MS ? 'warn' : 'plain',
    },
    { name: 'Freezes', value: String(freezes.total), mood: freezes.total > 0 ? 'warn' : 'plain' },
    { name: 'New alarms', value: String(newAlarms), mood: newAlarms > 0 ? 'bad' : 'plain' },
  ];
}

function depthOf(parties: Figures['parties']): number {
  return parties.flatMap(({ queues }) => queues).reduce((sum, { depth }) => sum + depth, 0);
}

function partiesMood(alive: number): Mood {
  if (alive === PARTIES) return 'good';
  return alive === PARTIES - 1 ? 'warn' : 'bad';
}

/** Alarms that were raised since somebody looked at them; `lookedAt`: ms, 0 for never. */
export function newAlarmsIn(alarms: readonly { readonly at: string }[], lookedAt: number): number {
  return alarms.filter(({ at }) => Date.parse(at) > lookedAt).length;
}
