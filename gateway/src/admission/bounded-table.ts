import { BoundedMap } from '@countersign/core/bounded-map.js';

/** Each row is some 150 bytes: a flood of addresses takes a few MiB, and no more. */
const MAX_ROWS = 16_384;

/**
 * Rows by key, in bounded memory. If there are too many the oldest is removed, and its owner begins anew. So many keys
 * together can exceed what a row bounds for one.
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

  /** Never makes a row: undefined for a key that was never asked about, or whose row was removed. */
  find(key: string): Row | undefined {
    return this.#rows.get(key);
  }
}
