/** Progress of an RSA key generation, which the parties write to Redis. A hint, never an authority. */

export interface KeyProgress {
  /** Candidates so far. */
  readonly tried: number;
  /** Candidates needed on average: the number is geometrically distributed, so there is no percentage. */
  readonly expected: number;
}

export function keyProgressKey(keyId: string): string {
  return `countersign:key-progress:${keyId}`;
}

export function encodeKeyProgress({ tried, expected }: KeyProgress): string {
  return `${tried}/${expected}`;
}

/** Undefined for any other text: whoever holds Redis may have written it. */
export function decodeKeyProgress(text: string): KeyProgress | undefined {
  const match = /^(\d{1,9})\/(\d{1,9})$/.exec(text);
  return match === null ? undefined : { tried: Number(match[1]), expected: Number(match[2]) };
}
