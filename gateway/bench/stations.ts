/** Virtual time, and what takes some of it. All times are ms. */

interface Event {
  readonly at: number;
  /** Of events at one time the one that was made first comes first. */
  readonly order: number;
  readonly act: () => void;
}

export class EventQueue {
  now = 0;
  /** A binary heap: nobody comes before what is at half its place. */
  readonly #heap: Event[] = [];
  #order = 0;

  at(at: number, act: () => void): void {
    const event = { at, order: this.#order++, act };
    let place = this.#heap.length;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (isBefore(this.#heap[parent]!, event)) break;
      this.#heap[place] = this.#heap[parent]!;
      place = parent;
    }
    this.#heap[place] = event;
  }

  /** Everything that is due until then. */
  run(until: number): void {
    for (;;) {
      const [next] = this.#heap;
      if (next === undefined || next.at > until) break;
      this.#dropFirst();
      this.now = next.at;
      next.act();
    }
    this.now = until;
  }

  #dropFirst(): void {
    const last = this.#heap.pop()!;
    const { length } = this.#heap;
    if (length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= length) break;
      if (child + 1 < length && isBefore(this.#heap[child + 1]!, this.#heap[child]!)) child += 1;
      if (isBefore(last, this.#heap[child]!)) break;
      this.#heap[place] = this.#heap[child]!;
      place = child;
    }
    this.#heap[place] = last;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** So many servers with one queue; asked in the order of time. */
export class Station {
  readonly name: string;
  busyMs = 0;
  readonly #freeAt: number[];

  constructor(name: string, servers: number) {
    this.name = name;
    this.#freeAt = Array.from({ length: servers }, () => 0);
  }

  get servers(): number {
    return this.#freeAt.length;
  }

  /** When work that comes now is done. */
  serve(now: number, ms: number): number {
    const first = this.#freeAt.indexOf(Math.min(...this.#freeAt));
    const end = Math.max(now, this.#freeAt[first]!) + ms;
    this.#freeAt[first] = end;
    this.busyMs += ms;
    return end;
  }

  /** The same, of work that all servers take a part of. */
  share(now: number, ms: number): number {
    const ends = this.#freeAt.map(() => this.serve(now, ms / this.servers));
    return Math.max(...ends);
  }
}

/** What comes while it is flushed goes with the next flush. */
export class WriteAheadLog {
  readonly name: string;
  readonly servers = 1;
  busyMs = 0;
  readonly #flushMs: number;
  #begunAt = -Infinity;
  #endsAt = -Infinity;
  #isNextAsked = false;

  constructor(name: string, flushMs: number) {
    this.name = name;
    this.#flushMs = flushMs;
  }

  /** When a commit that comes now is on the disk. */
  commit(now: number): number {
    if (this.#isNextAsked && now >= this.#endsAt) this.#begin(this.#endsAt);
    if (now >= this.#endsAt) this.#begin(now);
    if (now === this.#begunAt) return this.#endsAt;
    this.#isNextAsked = true;
    return this.#endsAt + this.#flushMs;
  }

  #begin(at: number): void {
    this.busyMs += this.#flushMs;
    this.#begunAt = at;
    this.#endsAt = at + this.#flushMs;
    this.#isNextAsked = false;
  }
}
