/**
 * Figures of a lean queue for BullMQ's own readers: how many jobs are under way, and how many were done or failed in
 * each minute. They are written where BullMQ itself writes them, together once a second, so that no job costs Redis a
 * command.
 */
import { isDeepStrictEqual } from 'node:util';
import { openTicks } from '../process/ticks.js';

const WRITE_MS = 1_000;
const MINUTE_MS = 60_000;
/** One point a minute makes a day. */
const MAX_POINTS = 1_440;
/** The jobs of a process that ended are no longer shown after this time. */
const ACTIVE_FOR_S = 5;

export interface QueueFigures {
  /** Counts the work while it is under way, and whether it failed. */
  follow<T>(work: () => Promise<T>): Promise<T>;
  /** Writes changes. It also runs by itself once a second. */
  write(): Promise<void>;
  stop(): void;
}

/** The part of a connection that is used. */
interface Transactions {
  multi(commands: unknown[][]): { exec(): Promise<unknown> };
}

/** Belongs to the one process that reads the queue. `now`: ms. */
export function createQueueFigures(
  redis: Transactions,
  queue: string,
  now: () => number,
): QueueFigures {
  const active = new Set<string>();
  const rates = { completed: new MinuteRates(now()), failed: new MinuteRates(now()) };
  const changes = createChanges(queue, active, rates);
  let count = 0;
  let isWriting = false;

  async function write(): Promise<void> {
    if (isWriting) return; // so nothing piles up while Redis is away
    isWriting = true;
    try {
      const commands = changes.since(now());
      if (commands.length > 0) await redis.multi(commands).exec();
    } catch {
      changes.forget(); // no work depends on it: all is written again next time
    } finally {
      isWriting = false;
    }
  }

  const ticks = openTicks(WRITE_MS, () => void write());
  return {
    async follow(work) {
      count += 1;
      const id = `sign-${count}`;
      active.add(id);
      try {
        const result = await work();
        rates.completed.add(now());
        return result;
      } catch (error) {
        rates.failed.add(now());
        throw error;
      } finally {
        active.delete(id);
      }
    },
    write,
    stop: ticks.stop,
  };
}

/** The commands that write what differs from the last write. */
function createChanges(
  queue: string,
  active: ReadonlySet<string>,
  rates: Readonly<Record<string, MinuteRates>>,
) {
  const key = (of: string) => `bull:${queue}:${of}`;
  const written = new Map<string, unknown>();

  function since(now: number): unknown[][] {
    const commands: unknown[][] = [];
    if (active.size > 0 || written.get('active') !== 0) {
      commands.push(['del', key('active')]);
      if (active.size > 0) {
        commands.push(['rpush', key('active'), ...active], ['expire', key('active'), ACTIVE_FOR_S]);
      }
      written.set('active', active.size);
    }
    for (const [type, ofType] of Object.entries(rates)) {
      const { meta, points } = ofType.at(now);
      if (isDeepStrictEqual(written.get(type), meta)) continue;
      const data = key(`metrics:${type}:data`);
      // delete first what somebody else may have put there
      commands.push(['del', key(`metrics:${type}`), data], ['hset', key(`metrics:${type}`), meta]);
      if (points.length > 0) commands.push(['rpush', data, ...points]);
      written.set(type, meta);
    }
    return commands;
  }
  return { since, forget: () => written.clear() };
}

/** Counts since the process began, in BullMQ's form: the total, and a point for each full minute, newest first. */
class MinuteRates {
  #count = 0;
  #prevCount = 0;
  #prevTS: number;
  #points: number[] = [];

  constructor(now: number) {
    this.#prevTS = now;
  }

  add(now: number): void {
    this.#roll(now);
    this.#count += 1;
  }

  at(now: number) {
    // an idle queue is not written every minute: BullMQ, too, adds the empty minutes with the next job
    if (this.#count > this.#prevCount) this.#roll(now);
    const meta = { count: this.#count, prevTS: this.#prevTS, prevCount: this.#prevCount };
    return { meta, points: this.#points };
  }

  #roll(now: number): void {
    const minutes = Math.floor(now / MINUTE_MS) - Math.floor(this.#prevTS / MINUTE_MS);
    if (minutes <= 0) return;
    const empty = new Array<number>(Math.min(minutes, MAX_POINTS) - 1).fill(0);
    // all jobs since the last roll were in the oldest of the full minutes
    this.#points = [...empty, this.#count - this.#prevCount, ...this.#points].slice(0, MAX_POINTS);
    this.#prevCount = this.#count;
    this.#prevTS = now;
  }
}
