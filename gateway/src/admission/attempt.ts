/** Whom a request speaks of, and from where: what it is counted under before it has proven anything. */
export interface Attempt {
  /** Undefined for nobody of this vault. */
  readonly callerId: string | undefined;
  /** As of `createSourceOf`. */
  readonly source: string;
  readonly isBrake: boolean;
}
