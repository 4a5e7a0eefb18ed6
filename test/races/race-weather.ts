/** How fast and how reliable things are in one run: most of them quick, some of them very slow, by the seed. */
import type { Chance, SimulatedProcess, VirtualTime } from './virtual-time.ts';

/** What takes time. */
export type Delay = 'append' | 'commit' | 'query' | 'read' | 'pin' | 'maths' | 'message' | 'notice';

/** Of something that goes well and of the slowest, ms. */
const DELAYS: Readonly<Record<Delay, readonly [usual: number, slowest: number]>> = {
  append: [4, 800],
  commit: [5, 4_500],
  query: [3, 4_500],
  read: [3, 2_400],
  pin: [2, 400],
  maths: [6, 4_000],
  message: [2, 2_500],
  notice: [2, 900],
};

/** Everybody starts in fair weather, ms. */
const FAIR_UNTIL = 1_000;

export interface Weather {
  readonly time: VirtualTime;
  readonly chance: Chance;
  /** ms. */
  delay(kind: Delay): number;
  /** As part of the process that runs now, or of `owner`. */
  wait(kind: Delay, owner?: SimulatedProcess | null): Promise<void>;
  /** A message or a notice that never comes. */
  isLost(): boolean;
}

export function createWeather(time: VirtualTime, chance: Chance): Weather {
  const kinds = Object.keys(DELAYS) as Delay[];
  // each run has its own troubles
  const slowness = Object.fromEntries(
    kinds.map((kind) => [kind, chance.happens(0.2) ? chance.pick([0.02, 0.1, 0.5]) : 0]),
  ) as Record<Delay, number>;
  const loss = chance.pick([0, 0, 0, 0, 0.02, 0.2]);
  const weather: Weather = {
    time,
    chance,
    delay(kind) {
      const [usual, slowest] = DELAYS[kind];
      return time.now > FAIR_UNTIL && chance.happens(slowness[kind])
        ? chance.between(usual, slowest)
        : chance.between(0.2, usual);
    },
    wait: (kind, owner) => time.wait(weather.delay(kind), owner),
    isLost: () => time.now > FAIR_UNTIL && chance.happens(loss),
  };
  return weather;
}
