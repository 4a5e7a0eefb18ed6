import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { ConfigError } from '../process/config.js';
import { createTestRelay } from '../../../../test/support/price-relays.js';
import { readPriceTrust } from './price-trust.js';

const folder = mkdtempSync(join(tmpdir(), 'price-trust-'));
afterAll(() => rmSync(folder, { recursive: true }));

const publicKey = Buffer.from(createTestRelay('one').trusted.publicKey).toString('base64');
const one = { name: 'one', public_key: publicKey };

function read(value: unknown) {
  const file = join(folder, 'prices.json');
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
  return readPriceTrust(file);
}

it('reads whom to believe, with an age and a spread where none is stated', () => {
  expect(read({ relays: [one], relays_needed: 1 })).toMatchObject({
    relays: [{ name: 'one' }],
    needed: 1,
    maxAgeMs: 300_000,
    maxSpreadBps: 200,
  });
});

it.each<[string, unknown, RegExp]>([
  ['that is not there', undefined, /ENOENT/],
  ['that is no JSON', '{', /JSON/],
  ['without relays', { relays: [], relays_needed: 1 }, /relays/],
  ['that needs none of them', { relays: [one], relays_needed: 0 }, /relays_needed/],
  ['that needs more than there are', { relays: [one], relays_needed: 2 }, /more than there are/],
  ['that names one twice', { relays: [one, one], relays_needed: 1 }, /twice/],
  [
    'with a key that is none',
    { relays: [{ name: 'one', public_key: 'AAAA' }], relays_needed: 1 },
    /public key/,
  ],
  ['with a field that nobody knows', { relays: [one], relays_needed: 1, max_age: 5 }, /max_age/],
])('refuses a file %s', (_what, value, message) => {
  const act = () => (value === undefined ? readPriceTrust(join(folder, 'none')) : read(value));
  expect(act).toThrow(ConfigError);
  expect(act).toThrow(message);
});
