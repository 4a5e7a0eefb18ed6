/** Many races, and what must be true of each. */
import type { Desk } from './desk-ledger.ts';
import { runFreezeRace, type RaceOptions, type RaceResult } from './freeze-race.ts';

export interface Seeds {
  readonly first: number;
  readonly count: number;
}

export interface Races {
  /** By seed: what went wrong in a race. */
  readonly failures: readonly string[];
  /** From the request to the 200, ms, in rising order. */
  readonly answeredAfter: readonly number[];
  /** Signatures that were made before a freeze was answered. */
  readonly signedBefore: number;
}

export async function runFreezeRaces(
  desk: Desk,
  options: Omit<RaceOptions, 'seed'>,
  { first, count }: Seeds,
): Promise<Races> {
  const failures: string[] = [];
  const answeredAfter: number[] = [];
  let signedBefore = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const race = await runFreezeRace(desk, { ...options, seed });
    failures.push(...failuresOf(seed, race));
    signedBefore += race.signedBefore;
    if (race.status === 200) answeredAfter.push(race.answeredAfter);
  }
  return { failures, signedBefore, answeredAfter: answeredAfter.toSorted((a, b) => a - b) };
}

function failuresOf(seed: number, race: RaceResult): string[] {
  const { scope, status, primariesLeft, violations } = race;
  const where = `seed ${seed}, ${scope}`;
  // one party alone judges nothing: then the freeze stands, and the answer says that it waits for a second
  const isAnswered = status === 200 || (status === 202 && primariesLeft < 2);
  const notFrozen = isAnswered ? [] : [`${where}: answered ${status ?? 'with a refusal'}`];
  return [...notFrozen, ...violations.map((violation) => `${where}: ${violation}`)];
}

/** How long it took until 200, as a line of text. */
export function timesOf({ answeredAfter: times }: Races): string {
  const at = (part: number) => `${times[Math.floor(part * (times.length - 1))]?.toFixed(0)} ms`;
  return `p10 ${at(0.1)}, p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, longest ${at(1)}`;
}
