import type { Beside } from './beside.js';
import type { LoadMeasurement } from './load.js';

/** A row of the report. */
export interface Measured {
  readonly name: string;
  readonly load?: LoadMeasurement;
  /** What the load was held against, by name. */
  readonly beside?: Readonly<Record<string, Beside>>;
  /** A figure that is no load: what it is and how much. */
  readonly figures?: Readonly<Record<string, number>>;
}
