/** Whose a public key is, against the rule as it was: an entry for each mark, and one for each generated key. */
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseRsaPublicKey } from '@countersign/core/rsa-public-key.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { isAnothersKey } from '../ledger/anothers-key.js';
import { refuseRebirth } from '../ledger/key-rebirth.js';
import { generatedMark } from './key-marks.js';
import { GENERATED, ownerOf, publicKeyOwners, type PublicKeyMark } from './public-key-owners.js';
import { EMPTY_STATE, type Key, type VaultState } from './state.js';
import { readState, writeState } from '../snapshots/state-text.js';
import { deleteRow, indexedTable, insertRow, replaceRow } from './table.js';

const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function rsaKeys(): string[] {
  const { n } = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
    format: 'jwk',
  });
  return [3, 17].map((exponent) => {
    const jwk = { kty: 'RSA', n: n!, e: Buffer.from([exponent]).toString('base64url') };
    const spki = createPublicKey({ key: jwk, format: 'jwk' }).export({
      format: 'der',
      type: 'spki',
    });
    return spki.toString('base64');
  });
}

/** Two of RSA have one modulus. */
const PUBLIC_KEYS = {
  ed25519: ['a', 'b', 'c'].map((one) => Buffer.alloc(32, one).toString('base64')),
  rsa: [...rsaKeys(), rsaKeys()[0]!],
} as const;

// the rule as it was

type Row = Pick<Key, 'id' | 'type' | 'custody' | 'publicKey' | 'attestations' | 'sealedParts'>;

function printOf(type: Key['type'], publicKey: string): string {
  const bytes = Buffer.from(publicKey, 'base64');
  return `${type}: ${sha256(type === 'rsa' ? parseRsaPublicKey(bytes)!.modulus : bytes)}`;
}

function marksOf({ type, publicKey, attestations, sealedParts }: Row): string[] {
  return [
    ...(publicKey === '' ? [] : [printOf(type, publicKey)]),
    ...attestations.map((row) => `party ${row.party}: ${printOf(type, row.publicKey)}`),
    ...sealedParts.map(({ sealed }) => `sealed part: ${sha256(sealed)}`),
  ];
}

function claimsOf(row: Row): string[] {
  return [...marksOf(row), ...row.attestations.map((one) => printOf(row.type, one.publicKey))];
}

class OldRule {
  readonly marks = new Map<string, string>();
  readonly generated = new Map<string, string>();

  isReborn(was: Row | undefined, is: Row): boolean {
    const had = new Set(was === undefined ? [] : claimsOf(was));
    return claimsOf(is).some(
      (claim) => !had.has(claim) && (this.marks.get(claim) ?? is.id) !== is.id,
    );
  }

  isTaken({ id, custody, publicKey }: Row): boolean {
    const owner = custody === 'mpc' ? this.generated.get(publicKey) : undefined;
    return owner !== undefined && owner !== id;
  }

  add(row: Row): void {
    for (const mark of marksOf(row)) if (!this.marks.has(mark)) this.marks.set(mark, row.id);
    if (row.custody === 'mpc' && row.publicKey !== '') this.generated.set(row.publicKey, row.id);
  }
}

// what happens to keys: as under any rules, so also what the later ones refuse

type Told = Record<PartyNumber, number | null>;

const anyKey = fc.nat(2);
const tell = fc.option(anyKey, { nil: null });
const anyChange = fc.record({
  at: fc.nat(5),
  told: fc.record({ 1: tell, 2: tell, 3: tell }) satisfies fc.Arbitrary<Told>,
  stated: fc.option(anyKey, { nil: null }),
  sealed: fc.subarray(['x', 'y', 'z']),
});

const KINDS = [
  { type: 'ed25519', custody: 'mpc' },
  { type: 'ed25519', custody: 'mpc' },
  { type: 'ed25519', custody: 'mpc_imported' },
  { type: 'rsa', custody: 'mpc' },
  { type: 'rsa', custody: 'mpc' },
  { type: 'rsa', custody: 'mpc_imported' },
] as const;

function rowAfter(
  before: Row | undefined,
  { at, told, stated, sealed }: { at: number; told: Told; stated: number | null; sealed: string[] },
): Row {
  const { type, custody } = KINDS[at]!;
  const kept = before?.attestations.filter((row) => told[row.party] === null) ?? [];
  const words = ([1, 2, 3] as const).flatMap((party) => {
    const number = told[party];
    if (number === null) return [];
    const publicKey = PUBLIC_KEYS[type][number]!;
    return [{ party, publicKey, session: 's', ceremonyHash: 'c', signature: 'g' }];
  });
  return {
    id: `key ${at}`,
    type,
    custody,
    publicKey: stated === null ? (before?.publicKey ?? '') : PUBLIC_KEYS[type][stated]!,
    attestations: words.length === 0 && before ? before.attestations : [...kept, ...words],
    sealedParts: sealed.map((one) => ({ party: 1, recipientId: 'r', sealed: one })),
  };
}

function ownersIn({ keys }: VaultState) {
  const { byPublicKey, bySealedPart } = keys.indexes;
  const owners: Record<string, string> = {};
  const generated: Record<string, string> = {};
  for (const [type, publicKeys] of Object.entries(PUBLIC_KEYS) as ['rsa', string[]][]) {
    for (const text of publicKeys) {
      const print = type === 'rsa' ? printOf(type, text) : text;
      for (const place of [0, 1, 2, 3] as const) {
        const start = place === 0 ? '' : `party ${place}: `;
        const owner = ownerOf(byPublicKey, { print, place });
        if (owner !== undefined) owners[start + printOf(type, text)] = owner;
      }
      const maker = ownerOf(byPublicKey, generatedMark(text));
      if (maker !== undefined) generated[text] = maker;
    }
  }
  for (const [print, owner] of bySealedPart) owners[`sealed part: ${print}`] = owner;
  return { owners, generated };
}

describe('the owners of public keys', () => {
  it('are those of the rule as it was, whatever became of keys, and written down and read back too', () => {
    const histories = fc.array(anyChange, { maxLength: 40, size: 'max' });
    fc.assert(
      fc.property(histories, (changes) => {
        const old = new OldRule();
        let state = EMPTY_STATE;
        for (const change of changes) {
          const before = state.keys.rows.get(`key ${change.at}`);
          const row = rowAfter(before, change) as Key;
          const put = before === undefined ? insertRow : replaceRow;
          if (old.isTaken(row)) {
            expect(() => put(state.keys, row)).toThrow(/'s alone$/);
            continue;
          }
          const after = { ...state, keys: put(state.keys, row) };
          const refused = refuseRebirth(state, after, [row.id]) !== undefined;
          expect(refused).toBe(old.isReborn(before, row));
          old.add(row);
          state = after;
          const held = ownersIn(state);
          expect(held.owners).toEqual(Object.fromEntries(old.marks));
          expect(held.generated).toEqual(Object.fromEntries(old.generated));
          for (const text of PUBLIC_KEYS[row.type as 'rsa']) {
            const owner = old.marks.get(printOf(row.type, text)) ?? row.id;
            expect(isAnothersKey(state, row, Buffer.from(text, 'base64'))).toBe(owner !== row.id);
          }
        }
        expect(ownersIn(readState(writeState(state)))).toEqual(ownersIn(state));
      }),
      { numRuns: 200 },
    );
  });
});

describe('the owner of a public key', () => {
  interface Marked {
    readonly id: string;
    readonly marks: readonly PublicKeyMark[];
  }
  const empty = indexedTable<Marked>()({ owners: publicKeyOwners<Marked>(({ marks }) => marks) });
  const at = (...places: readonly PublicKeyMark['place'][]) =>
    places.map((place) => ({ print: 'p', place }));

  it('is held by its id alone where all is its own, whatever the order', () => {
    for (const places of [
      [0, 1, 2, 3, 4],
      [4, 2, 0, 1, 3],
    ] as const) {
      const table = insertRow(empty, { id: 'one', marks: at(...places) });
      expect(table.indexes.owners.get('p')).toBe('one');
    }
  });

  it('is told apart by place where another came to some of it first', () => {
    const lied = insertRow(empty, { id: 'bait', marks: at(3) });
    const { owners } = insertRow(lied, { id: 'one', marks: at(0, 1, 2, 3) }).indexes;
    expect(owners.get('p')).toEqual(['one', 'one', 'one', 'bait', null]);
  });

  it('stays who it was, and that is refused by nobody but for what the parties made together', () => {
    const one = insertRow(empty, { id: 'one', marks: at(0, 1, 2, 3, 4) });
    const gone = deleteRow(one, 'one');
    expect(insertRow(gone, { id: 'two', marks: at(0, 1, 2, 3) }).indexes).toBe(one.indexes);
    expect(replaceRow(one, { id: 'one', marks: at(GENERATED) }).indexes).toBe(one.indexes);
    expect(() => insertRow(gone, { id: 'two', marks: at(GENERATED) })).toThrow(
      /^row two has what is row one's alone$/,
    );
  });
});
