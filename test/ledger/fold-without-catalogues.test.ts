/**
 * A release may know venues and networks better than the one before it. The recorded ledger is folded here by
 * code that cannot load their catalogues at all: it comes to the recorded states, so no catalogue can matter.
 */
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
const { readRecordedLedger, recordedRows, refold } = await import('../support/recorded-rows.ts');

it('comes to the recorded state after every entry', () => {
  const { rows, keys } = recordedRows();
  expect(refold(rows, keys).rows).toEqual(readRecordedLedger().entries);
  expect(loaded).toEqual([]);
});

it.each([
  '@countersign/venues/venue-catalogue.js',
  '@countersign/vault/catalogues/todays-catalogues.js',
])('where %s cannot be loaded', async (name) => {
  await expect(import(name)).rejects.toThrow("out of the fold's reach");
});
