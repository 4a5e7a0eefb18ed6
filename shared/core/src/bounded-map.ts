/**
 * A map of at most `limit` entries, and of one at least. `put` makes an entry the newest; where there is no room the oldest makes way, and is
 * given to `drop`.
 */
export class BoundedMap<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #limit: number;
  readonly #drop: (value: Value) => void;

  constructor(limit: number, drop: (value: Value) => void = () => undefined) {
    this.#limit = Math.max(1, limit);
    this.#drop = drop;
  }

  get size(): number {
    return this.#values.size;
  }

  get isFull(): boolean {
    return this.#values.size >= this.#limit;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  has(key: Key): boolean {
    return this.#values.has(key);
  }

  /** The oldest first. */
  values(): MapIterator<Value> {
    return this.#values.values();
  }

  /** A value that it takes the place of is the caller's, and not given to `drop`. */
  put(key: Key, value: Value): void {
    if (!this.#values.delete(key) && this.isFull) this.#dropOldest();
    this.#values.set(key, value);
  }

  delete(key: Key): boolean {
    return this.#values.delete(key);
  }

  clear(): void {
    for (const value of this.#values.values()) this.#drop(value);
    this.#values.clear();
  }

  #dropOldest(): void {
    const [key, value] = this.#values.entries().next().value!;
    this.#values.delete(key);
    this.#drop(value);
  }
}

/** Whether a name comes for the first time, among the last `limit` names. */
export function createOnce(limit: number): (name: string) => boolean {
  const seen = new BoundedMap<string, true>(limit);
  return (name) => {
    if (seen.has(name)) return false;
    seen.put(name, true);
    return true;
  };
}
