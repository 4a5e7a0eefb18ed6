/** Says of a stale timestamp how it would be right, where it was written in another unit or order of bytes. */
import { refuse, type Refusal } from '@countersign/core/errors.js';
import { refuseStale } from '@countersign/vault/authentication/authenticate.js';
import { isStale } from '@countersign/vault/authentication/stale-refusal.js';

const HINTS: readonly (readonly [hint: string, read: (bytes: Buffer) => bigint])[] = [
  ['it is right in seconds: send milliseconds', (bytes) => bytes.readBigUInt64LE() * 1_000n],
  ['it is right in microseconds: send milliseconds', (bytes) => bytes.readBigUInt64LE() / 1_000n],
  [
    'it is right in nanoseconds: send milliseconds',
    (bytes) => bytes.readBigUInt64LE() / 1_000_000n,
  ],
  ['it is right as big-endian: send little-endian', (bytes) => bytes.readBigUInt64BE()],
  [
    'it is right as big-endian seconds: send little-endian milliseconds',
    (bytes) => bytes.readBigUInt64BE() * 1_000n,
  ],
];

/** `header`: as it was sent, well-formed. Any other refusal is given back as it is. `now`: ms. */
export function explainStale(refusal: Refusal, header: string, now: number): Refusal {
  if (!isStale(refusal)) return refusal;
  const bytes = Buffer.from(header, 'hex');
  if (bytes.length !== 8) return refusal;
  const found = HINTS.find(([, read]) => refuseStale(Number(read(bytes)), now) === undefined);
  return found === undefined ? refusal : refuse('unauthorized', `${refusal.message}; ${found[0]}`);
}
