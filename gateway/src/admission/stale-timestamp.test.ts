import { expect, it } from '@jest/globals';
import { refuse } from '@countersign/core/errors.js';
import { refuseStale } from '@countersign/vault/authentication/authenticate.js';
import { explainStale } from './stale-timestamp.js';

const NOW = 1_800_000_000_123;
const STALE = refuseStale(0, NOW)!;

function header(value: bigint, isLittleEndian = true): string {
  const bytes = Buffer.alloc(8);
  if (isLittleEndian) bytes.writeBigUInt64LE(value);
  else bytes.writeBigUInt64BE(value);
  return bytes.toString('hex');
}

it.each([
  ['seconds', header(BigInt(NOW) / 1_000n), 'in seconds: send milliseconds'],
  ['microseconds', header(BigInt(NOW) * 1_000n), 'in microseconds: send milliseconds'],
  ['nanoseconds', header(BigInt(NOW) * 1_000_000n), 'in nanoseconds: send milliseconds'],
  ['big-endian', header(BigInt(NOW), false), 'as big-endian: send little-endian'],
  [
    'big-endian seconds',
    header(BigInt(NOW) / 1_000n, false),
    'as big-endian seconds: send little-endian milliseconds',
  ],
])('names a timestamp in %s', (_name, text, hint) => {
  const { message } = explainStale(STALE, text, NOW);
  expect(message).toBe(`${STALE.message}; it is right ${hint}`);
});

it.each([
  ['of another day', header(BigInt(NOW) - 86_400_000n)],
  ['in seconds of another day', header(BigInt(NOW) / 1_000n - 86_400n)],
  ['that is zero', header(0n)],
  ['that is as large as can be', 'f'.repeat(16)],
  ['that is malformed', 'xyz'],
])('says no more of one %s', (_name, text) => {
  expect(explainStale(STALE, text, NOW)).toBe(STALE);
});

it('leaves every other refusal as it is', () => {
  const other = refuse('unauthorized', 'the nonce was used before');
  expect(explainStale(other, header(BigInt(NOW) / 1_000n), NOW)).toBe(other);
});
