import { BoundedMap } from '@countersign/core/bounded-map.js';

/** Each row is some 150 bytes: a flood of addresses takes a few MiB, and no more. */
const MAX_ROWS = 16_384;

/**
 * A row for each key, in bounded memory: where there are too many the one that was there first makes way, and whoever it
 * belonged to begins anew. So what a row of one key bounds, many keys together exceed.
 */
export class BoundedTable<Row> {
  readonly #rows: BoundedMap<string, Row>;
  readonly #make: () => Row;

  constructor(make: () => Row, maxRows = MAX_ROWS) {
    this.#rows = new BoundedMap(maxRows);
    this.#make = make;
  }

  get length(): number {
    return this.#rows.size;
  }

  row(key: string): Row {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const fresh = this.#make();
    this.#rows.put(key, fresh);
    return fresh;
  }

  /** As it is, without making one: undefined for a key that was never asked about, or has made way. */
  find(key: string): Row | undefined {
    return this.#rows.get(key);
  }
}
