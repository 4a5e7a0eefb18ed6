/** The file that holds evidence keys, and keys that are trusted no longer. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  createEvidenceKeys,
  readEvidenceKeys,
  readWithdrawnKeyIds,
  withoutDistrusted,
} from './evidence-key.js';
import { EvidenceSealError, evidenceKeyIdOf } from './evidence-seal.js';

const folder = mkdtempSync(join(tmpdir(), 'countersign-evidence-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [stolen, fresh] = [randomBytes(32), randomBytes(32)];
const [stolenId] = createEvidenceKeys([stolen]).ids;
const [freshId] = createEvidenceKeys([fresh]).ids;
const keys = { old: stolen.toString('base64'), new: fresh.toString('base64') };
const none = Buffer.alloc(0);

function writeKeyFile(content: object): string {
  const path = join(folder, `${randomBytes(8).toString('hex')}.key`);
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
  return path;
}

describe('a key file', () => {
  it('names the keys that are withdrawn, and holds them all the same', () => {
    const path = writeKeyFile({ current: 'new', keys, withdrawn: ['old'] });
    expect(readWithdrawnKeyIds(path)).toEqual([stolenId]);
    expect(readEvidenceKeys(path).ids).toEqual([freshId, stolenId]);
  });

  it('withdraws none unless it says so', () => {
    expect(readWithdrawnKeyIds(writeKeyFile({ current: 'new', keys }))).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['that it does not hold', { withdrawn: ['elder'] }, 'no key named elder'],
    ['by a name that every object has', { withdrawn: ['toString'] }, 'no key named toString'],
    ['that is current', { withdrawn: ['new'] }, 'the current key'],
    [
      'that is current under another name',
      { withdrawn: ['twin'], keys: { ...keys, twin: keys.new } },
      'the current key',
    ],
  ])('cannot withdraw a key %s', (_what, change, reason) => {
    const path = writeKeyFile({ current: 'new', keys, ...change });
    for (const read of [readWithdrawnKeyIds, readEvidenceKeys]) {
      expect(() => read(path)).toThrow(reason);
    }
  });
});

describe('keys without a distrusted one', () => {
  const held = createEvidenceKeys([fresh, stolen]);
  const trusted = withoutDistrusted(held, (id) => id === stolenId);

  it('know a seal of either form by the id that the ledger has', () => {
    const thief = createEvidenceKeys([stolen]);
    const sealed = [thief.seal(none, none), thief.sealEntry(none, none)];
    expect(sealed.map((seal) => held.declaredIdOf(seal))).toEqual([stolenId, stolenId]);
    expect(new Set(sealed.map(evidenceKeyIdOf)).size).toBe(2);
  });

  it('open nothing that it sealed, in either form', () => {
    const thief = createEvidenceKeys([stolen]);
    for (const seal of [thief.seal, thief.sealEntry]) {
      const sealed = seal(Buffer.from('x'), none);
      expect(() => trusted.open(sealed, none)).toThrow(EvidenceSealError);
      expect(held.open(sealed, none).toString()).toBe('x');
    }
  });

  it('open what the others sealed', () => {
    for (const seal of [held.seal, held.sealEntry]) {
      expect(trusted.open(seal(Buffer.from('x'), none), none).toString()).toBe('x');
    }
  });
});
