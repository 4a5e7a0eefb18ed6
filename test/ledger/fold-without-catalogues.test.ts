/**
 * A release may know venues and networks better than the one before it. The recorded ledger is folded here by
 * code that cannot load their catalogues at all: it comes to the recorded states, so no catalogue can matter.
 */
import { readFileSync } from 'node:fs';
import { expect, it, jest } from '@jest/globals';

const loaded: string[] = [];
for (const name of [
  '@countersign/venues/venue-catalogue.js',
  '@countersign/chains/network-catalogue.js',
]) {
  jest.unstable_mockModule(name, () => {
    loaded.push(name);
    throw new Error(`${name} is out of the fold's reach`);
  });
}
const { refoldRecorded } = await import('../support/recorded-rows.ts');

it('comes to the recorded state after every entry', () => {
  const file = new URL('../vectors/release-zero-ledger.json', import.meta.url);
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly evidence_key: string;
    readonly entries: readonly { readonly body: string; readonly state_hash: string }[];
  };
  expect(refoldRecorded(recorded).rows.map((row) => row.state_hash)).toEqual(
    recorded.entries.map((entry) => entry.state_hash),
  );
  expect(loaded).toEqual([]);
});

it.each([
  '@countersign/venues/venue-catalogue.js',
  '@countersign/vault/catalogues/todays-catalogues.js',
])('where %s cannot be loaded', async (name) => {
  await expect(import(name)).rejects.toThrow("out of the fold's reach");
});
