/** docs/reference/prices.md: the files that it shows are taken as they stand there, and have the defaults that it names. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigError } from '@countersign/runtime/process/config.js';
import { readPriceTrust } from '@countersign/runtime/prices/price-trust.js';
import { readRelaySources } from '../../infra/prices/src/relay-sources.ts';
import { codesIn, tableRows } from '../support/page-tables.ts';

const PAGE = 'docs/reference/prices.md';
const BLOCKS = [...readFileSync(PAGE, 'utf8').matchAll(/```json\n([\s\S]*?)```/g)];

type File = Record<string, unknown>;
const blockWith = (member: string) =>
  JSON.parse(BLOCKS.map(([, json]) => json!).find((json) => json.includes(member))!) as File;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-prices-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(content: File): string {
  const path = join(folder, 'file.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const SOURCES = blockWith('"sources_needed"');
const { sources } = SOURCES as { sources: File[] };
/** Of the file as it is shown, with other sources or other members. */
const readSources = (members: File, of: File = {}) =>
  readRelaySources(
    written({ ...SOURCES, sources: sources.map((source) => ({ ...source, ...of })), ...members }),
  );

describe('PRICE_SOURCES_FILE', () => {
  it('is taken as it stands there', () => {
    expect(readSources({})).toMatchObject({ relay: 'prices-a', every_s: 5, sources_needed: 2 });
  });

  it.each(['every_s', 'max_spread_bps', 'max_age_s'])(
    '%s has the bounds and the default',
    (name) => {
      const row = tableRows(PAGE, 'field').find((one) => codesIn(one['field']!)[0] === name)!;
      const [, least, most] = /(\d+) to (\d+)$/.exec(row['says']!)!.map(Number) as [
        number,
        number,
        number,
      ];
      const read = (value: number | undefined) => {
        const file =
          name === 'max_age_s'
            ? readSources({}, { [name]: value })
            : readSources({ [name]: value });
        return name === 'max_age_s' ? file.sources[0]!.max_age_s : (file as File)[name];
      };
      expect([read(undefined), read(least), read(most)]).toEqual([
        Number(row['absent']),
        least,
        most,
      ]);
      for (const outside of [least - 1, most + 1]) expect(() => read(outside)).toThrow(ConfigError);
    },
  );
});

describe('PRICES_FILE', () => {
  const TRUST = blockWith('"relays_needed"');
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const publicKey = Buffer.from(x!, 'base64url').toString('base64');
  const { relays } = TRUST as { relays: File[] };
  const keyed = { ...TRUST, relays: relays.map((relay) => ({ ...relay, public_key: publicKey })) };

  it('is taken as it stands there, with keys', () => {
    expect(readPriceTrust(written(keyed))).toMatchObject({ needed: 2, maxAgeMs: 60_000 });
  });

  it('has the defaults and the bounds that are named', () => {
    const absent = { ...keyed, max_age_s: undefined, max_spread_bps: undefined };
    expect(readPriceTrust(written(absent))).toMatchObject({
      maxAgeMs: 300_000,
      maxSpreadBps: 200,
    });
    expect(readFileSync(PAGE, 'utf8')).toContain(
      '`max_age_s` is 1 to 3600, 300 when absent. `max_spread_bps` is 200 when absent.',
    );
    for (const outside of [0, 3_601]) {
      expect(() => readPriceTrust(written({ ...keyed, max_age_s: outside }))).toThrow(ConfigError);
    }
  });
});
