/**
 * A map of at most `limit` entries, and of at least one. `put` makes an entry the newest. If there is no room, the
 * oldest is removed and passed to `drop`.
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

  /** A value that it replaces is the caller's, and is not passed to `drop`. */
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

/** Whether a name is new among the last `limit` names. */
export function createOnce(limit: number): (name: string) => boolean {
  const seen = new BoundedMap<string, true>(limit);
  return (name) => {
    if (seen.has(name)) return false;
    seen.put(name, true);
    return true;
  };
}
