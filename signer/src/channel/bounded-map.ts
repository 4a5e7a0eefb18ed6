/** As many values as `limit`, those that were put last: whatever makes room is given to `drop`. */
export class BoundedMap<V> {
  readonly #values = new Map<string, V>();
  readonly #limit: number;
  readonly #drop: (value: V) => void;

  constructor(limit: number, drop: (value: V) => void) {
    this.#limit = limit;
    this.#drop = drop;
  }

  get isFull(): boolean {
    return this.#values.size >= this.#limit;
  }

  get(id: string): V | undefined {
    return this.#values.get(id);
  }

  /** From now on the newest. A value that it takes the place of is the caller's. */
  put(id: string, value: V): void {
    if (!this.#values.delete(id) && this.isFull) {
      const [oldest, dropped] = this.#values.entries().next().value!;
      this.#values.delete(oldest);
      this.#drop(dropped);
    }
    this.#values.set(id, value);
  }

  delete(id: string): void {
    this.#values.delete(id);
  }

  clear(): void {
    for (const value of this.#values.values()) this.#drop(value);
    this.#values.clear();
  }
}
