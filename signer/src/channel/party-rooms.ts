import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';

export interface RoomLimits {
  readonly entries: number;
  readonly bytes: number;
  /** After this time nobody comes for an entry any more, ms. */
  readonly keepMs: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  readonly since: number;
}

interface Room<Value> {
  /** By name, the oldest first. */
  readonly entries: Map<string, Entry<Value>>;
  bytes: number;
}

/**
 * Keeps what waits to be taken, by the party on whose account it waits. Each party fills a room of its own: when that
 * is full, its oldest entry makes way, and never another party's.
 */
export class PartyRooms<Value> {
  readonly #limits: RoomLimits;
  readonly #now: () => number;
  readonly #rooms: ReadonlyMap<PartyNumber, Room<Value>>;

  /** `now`: ms. */
  constructor(limits: RoomLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#rooms = new Map(PARTY_NUMBERS.map((party) => [party, { entries: new Map(), bytes: 0 }]));
  }

  /** The first entry of a name stays. An entry larger than a room is not kept. */
  add(party: PartyNumber, name: string, value: Value, bytes: number): void {
    const room = this.#rooms.get(party)!;
    this.#dropOld(room);
    if (room.entries.has(name) || bytes > this.#limits.bytes) return;
    while (this.#isFull(room, bytes)) this.#dropOldest(room);
    room.entries.set(name, { value, bytes, since: this.#now() });
    room.bytes += bytes;
  }

  /** Removes the entry and returns it. */
  take(party: PartyNumber, name: string): Value | undefined {
    const room = this.#rooms.get(party)!;
    this.#dropOld(room);
    const entry = room.entries.get(name);
    if (entry !== undefined) remove(room, name, entry);
    return entry?.value;
  }

  /** Takes all entries of a party that `isWanted` accepts, in the order in which they came. */
  takeAll(party: PartyNumber, isWanted: (value: Value) => boolean): Value[] {
    const room = this.#rooms.get(party)!;
    this.#dropOld(room);
    const wanted = [...room.entries].filter(([, { value }]) => isWanted(value));
    for (const [name, entry] of wanted) remove(room, name, entry);
    return wanted.map(([, { value }]) => value);
  }

  #isFull({ entries, bytes }: Room<Value>, more: number): boolean {
    return entries.size >= this.#limits.entries || bytes + more > this.#limits.bytes;
  }

  #dropOld(room: Room<Value>): void {
    for (const [name, entry] of room.entries) {
      if (this.#now() - entry.since <= this.#limits.keepMs) return;
      remove(room, name, entry);
    }
  }

  #dropOldest(room: Room<Value>): void {
    const [oldest] = room.entries;
    if (oldest !== undefined) remove(room, ...oldest);
  }
}

function remove<Value>(room: Room<Value>, name: string, { bytes }: Entry<Value>): void {
  room.entries.delete(name);
  room.bytes -= bytes;
}
