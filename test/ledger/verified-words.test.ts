/** Words verified ahead of the fold: what is taken as verified is exactly what was, and nothing beside it. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Bytes } from '@countersign/core/bytes.js';
import { verifyEd25519 } from '@countersign/core/ed25519.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import {
  createVerifiedWords,
  verifyWords,
  type VerifySignature,
} from '@countersign/vault/ledger/verified-words.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { createLedgerBuilder, rechain, type LedgerBuilder } from '../support/ledger-builder.ts';

let ledger: LedgerBuilder;
beforeEach(() => {
  ledger = createLedgerBuilder();
  for (const name of ['a', 'b', 'c'])
    ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: name });
});

const bodiesOf = () => ledger.rows.map(({ body }) => body);

type Triple = readonly [publicKey: Bytes, message: Bytes, signature: Bytes];

/** A verifier that keeps what it is asked, and what it says. */
function askedVerifier(verify: VerifySignature = verifyEd25519) {
  const asked: Triple[] = [];
  const keep: VerifySignature = (...triple) => {
    asked.push(triple);
    return verify(...triple);
  };
  return { asked, verify: keep };
}

/** What a fold asks to be verified of the words of these entries. */
function triplesOf(): Triple[] {
  const { asked, verify } = askedVerifier();
  createFold({ keys: ledger.keys }).advance(ledger.rows, verify);
  return asked;
}

describe('words that were verified ahead', () => {
  it('are verified no more by the fold, and it comes to the same', () => {
    const own = askedVerifier();
    const words = createVerifiedWords(own.verify);
    words.note(verifyWords(bodiesOf(), ledger.state));
    const fold = createFold({ keys: ledger.keys });
    const outcomes = fold.advance(ledger.rows, words.verify);
    expect(triplesOf()).toHaveLength(6);
    expect(own.asked).toEqual([]);
    expect(outcomes).toEqual(ledger.outcomes);
    expect(stateHash(fold.view.state)).toBe(stateHash(ledger.state));
  });

  it('are those of the vault and its parties alone: for other ones nothing is taken', () => {
    const other = { ...ledger.state, genesisHash: 'ab'.repeat(32) };
    expect(verifyWords(bodiesOf(), other)).toHaveLength(0);
    const [one, two, three] = ledger.state.parties;
    const swapped = [{ ...one!, party: 2 as const }, { ...two!, party: 1 as const }, three!];
    expect(verifyWords(bodiesOf(), { ...ledger.state, parties: swapped })).toHaveLength(0);
    expect(verifyWords(bodiesOf(), ledger.state)).toHaveLength(6 * 32);
  });

  it('leave out what is forged, other entries and what nobody can read', () => {
    const [word] = bodiesOf().slice(-1);
    const forged = Buffer.from(word!);
    forged[forged.length - 1]! ^= 1;
    const bodies = [
      forged,
      bodiesOf()[0]!,
      Buffer.alloc(0),
      Buffer.from([99, 1]),
      word!.subarray(0, 20),
    ];
    expect(verifyWords(bodies, ledger.state)).toHaveLength(0);
  });

  it('make no forged word good that is like one of them', () => {
    const bodies = bodiesOf();
    const words = createVerifiedWords();
    words.note(verifyWords(bodies, ledger.state));
    // the last word that judges the last vault, with one bit of its signature changed
    const forged = Buffer.from(bodies.at(-1)!);
    forged[forged.length - 1]! ^= 1;
    const rows = rechain([...bodies.slice(0, -1), forged]);
    const [fold, strict] = [createFold({ keys: ledger.keys }), createFold({ keys: ledger.keys })];
    expect(fold.advance(rows, words.verify)).toEqual(strict.advance(rows));
    expect(stateHash(fold.view.state)).toBe(stateHash(strict.view.state));
    expect(fold.view.state.vaults.rows.size).toBe(2);
  });
});

describe('a signature counts as verified', () => {
  const never: VerifySignature = () => false;

  it('as itself alone: not with another key, message or signature, nor cut elsewhere', () => {
    const words = createVerifiedWords(never);
    words.note(verifyWords(bodiesOf(), ledger.state));
    const [[key, message, signature]] = triplesOf() as [Triple];
    expect(words.verify(key, message, signature)).toBe(true);
    const flipped = (bytes: Bytes) =>
      Buffer.from(bytes).map((byte, at) => (at === 0 ? byte ^ 1 : byte));
    expect(words.verify(flipped(key), message, signature)).toBe(false);
    expect(words.verify(key, flipped(message), signature)).toBe(false);
    expect(words.verify(key, message, flipped(signature))).toBe(false);
    // the same bytes in the same order, as another key, signature and message
    const all = Buffer.concat([key, signature, message]);
    for (const [keyEnd, signatureEnd] of [
      [31, 96],
      [33, 96],
      [32, 95],
      [32, 97],
      [0, 64],
    ] as const) {
      const parts = [all.subarray(0, keyEnd), all.subarray(keyEnd, signatureEnd)] as const;
      expect(words.verify(parts[0], all.subarray(signatureEnd), parts[1])).toBe(false);
    }
  });

  it('not by fingerprints of what was never verified, nor by half of one', () => {
    const words = createVerifiedWords(never);
    const good = verifyWords(bodiesOf(), ledger.state);
    words.note(new Uint8Array(64));
    words.note(good.subarray(1));
    words.note(good.subarray(0, 31));
    for (const triple of triplesOf()) expect(words.verify(...triple)).toBe(false);
  });
});
