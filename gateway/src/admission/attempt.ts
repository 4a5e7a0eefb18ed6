/** Which caller a request names, and its source: it is counted under both before it has proven anything. */
export interface Attempt {
  /** Undefined if it names no user of this vault. */
  readonly callerId: string | undefined;
  /** As of `createSourceOf`. */
  readonly source: string;
  readonly isBrake: boolean;
}
