/** The tables of venues in docs/reference/venues.md say what the catalogue says, and leave none out. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import type { KeyType } from '@countersign/core/signature-schemes.js';
import { VENUES } from '@countersign/venues/venue-catalogue.js';
import type { Venue } from '@countersign/venues/engine/venue.js';

const CONDITIONS = [
  'endpoints',
  'symbols',
  'sides',
  'amount',
  'quote_amount',
  'contracts',
] as const;
const READ_BY_POST = ['kraken', 'kraken_futures', 'bitfinex', 'gemini'];

function rowOf(venue: Venue): string {
  const types = Object.keys(venue.schemes);
  const plan = venue.plan(
    {
      channel: 'rest',
      method: READ_BY_POST.includes(venue.id) ? 'POST' : 'GET',
      path: venue.id === 'backpack' ? '/api/v1/capital' : '/off/the/table',
      query: '',
      body: '',
    },
    { type: types[0] as KeyType, apiKey: 'key' },
  );
  if (isRefusal(plan)) throw new Error(`${venue.id}: ${plan.message}`);
  const unbindable = CONDITIONS.filter((condition) => venue.unbindable(condition) !== undefined);
  const cells = [
    `\`${venue.id}\``,
    types.join(', '),
    plan.facts.binds.join(', '),
    unbindable.map((condition) => `\`${condition}\``).join(', ') || '–',
  ];
  return `| ${cells.join(' | ')} |`;
}

test('docs/reference/venues.md lists every venue as it is', () => {
  const [, rest = ''] = readFileSync('docs/reference/venues.md', 'utf8').split('\n## Venues\n');
  const [section = ''] = rest.split('\n## ');
  const lines = section.split('\n');
  const listed = lines.filter((line) => /^\| `[a-z_]+` \|/.test(line));
  expect(listed).toEqual(VENUES.map(rowOf));
});

test('docs/reference/venues.md tells what to switch off at every venue', () => {
  const page = readFileSync('docs/reference/venues.md', 'utf8');
  const [, rest = ''] = page.split('\n## What to switch off at the venue\n');
  const [section = ''] = rest.split('\n## ');
  const rows = section.split('\n').filter((line) => /^\| `[a-z_]+` \|/.test(line));
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  expect(cells.map(([, name]) => name)).toEqual(VENUES.map(({ id }) => `\`${id}\``));
  // what is left open, the key's rights
  expect(cells.filter((row) => row.length !== 5 || row.slice(1, 4).includes(''))).toEqual([]);
});
