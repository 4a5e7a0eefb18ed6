import { hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ByteWriter } from '@countersign/core/bytes.js';
import { nextParty } from '@countersign/custody/import-package.js';
import { sha256 } from '@countersign/core/hash.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { Letter } from '../../../../test/support/three-parties.js';
import { GenerationChannel } from './generation-channel.js';
import { createMailbox } from './mailbox.js';
import { PairSecrets } from './pair-secrets.js';
import { setUpPairSecrets } from './setup.js';

const pairKeys = { 1: randomBytes(32), 2: randomBytes(32), 3: randomBytes(32) };

function setUpThree(
  options: {
    readonly tamper?: (letter: Letter) => Uint8Array;
    readonly keysOf?: (party: PartyNumber) => Readonly<Record<PartyNumber, Uint8Array>>;
    readonly bitsOf?: (party: PartyNumber) => number;
    readonly runOf?: (party: PartyNumber) => string;
  } = {},
): Promise<PromiseSettledResult<PairSecrets>[]> {
  const { tamper = ({ bytes }) => bytes, keysOf, bitsOf, runOf } = options;
  const mailboxes = { 1: createMailbox(), 2: createMailbox(), 3: createMailbox() };
  return Promise.allSettled(
    PARTY_NUMBERS.map((from) => {
      const channel = new GenerationChannel(from, {
        send: (to, tag, bytes) =>
          mailboxes[to].deliver(from, tag, tamper({ from, to, tag, bytes })),
        receive: mailboxes[from].receive,
      });
      const keys = keysOf?.(from) ?? pairKeys;
      return setUpPairSecrets(channel, {
        modulusBits: bitsOf?.(from) ?? 2048,
        runId: runOf?.(from) ?? 'run',
        pairKeys: { own: keys[from], next: keys[nextParty(from)] },
        random: randomBytes,
      });
    }),
  );
}

const codes = (results: readonly PromiseSettledResult<PairSecrets>[]): unknown[] =>
  results.map((result) =>
    result.status === 'rejected' ? (result.reason as { code?: string }).code : 'ready',
  );

describe('the start of a run', () => {
  test('gives each pair one secret, and no two pairs the same', async () => {
    const streams = (await setUpThree()).map((result) => {
      if (result.status === 'rejected') throw result.reason;
      const { own, next } = result.value.streams('test');
      return [own.bytes(32).toString('hex'), next.bytes(32).toString('hex')];
    });
    expect(streams.map(([own]) => own)).toEqual([2, 0, 1].map((before) => streams[before]?.[1]));
    expect(new Set(streams.flat()).size).toBe(3);
  });

  test('stays closed to one who has all lasting pair keys and hears every message', async () => {
    const letters: Letter[] = [];
    const remember = (letter: Letter): Uint8Array => {
      letters.push(letter);
      return letter.bytes;
    };
    expect(codes(await setUpThree({ tamper: remember }))).toEqual(['ready', 'ready', 'ready']);
    const said = (from: PartyNumber, to: PartyNumber, tag: string): Uint8Array =>
      letters.find((one) => one.from === from && one.to === to && one.tag === tag)?.bytes ??
      new Uint8Array();
    const salt = sha256(
      said(1, 2, 'setup hello'),
      said(2, 1, 'setup hello'),
      said(3, 1, 'setup hello'),
    );
    const guess = (index: PartyNumber): Uint8Array => {
      const info = new ByteWriter().field('countersign rsa generation pair v1').u8(index).bytes();
      return new Uint8Array(hkdfSync('sha256', pairKeys[index], salt, info, 32));
    };
    // as party 2, to which parties 1 and 3 confirm their secrets
    const eavesdropper = new PairSecrets(2, { own: guess(2), next: guess(3) });
    for (const from of [1, 3] as const) {
      const tag = 'setup confirm';
      expect(() => eavesdropper.open(from, tag, said(from, 2, tag))).toThrow();
    }
  });

  test('fails for all when two parties are shown different hellos', async () => {
    const results = await setUpThree({
      tamper: ({ from, to, tag, bytes }) =>
        tag === 'setup hello' && from === 3 && to === 1
          ? bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte))
          : bytes,
    });
    expect(codes(results)).toEqual(['malformed', 'malformed', 'malformed']);
  });

  test('fails for a pair without a common key, whoever the others are', async () => {
    const stranger = { ...pairKeys, 2: randomBytes(32) };
    const results = await setUpThree({ keysOf: (party) => (party === 2 ? stranger : pairKeys) });
    // share 2 is that of parties 1 and 2
    expect(codes(results)).toEqual(['malformed', 'malformed', 'ready']);
  });

  test.each([
    ['size of modulus', { bitsOf: (party: PartyNumber) => (party === 1 ? 2048 : 3072) }],
    ['run', { runOf: (party: PartyNumber) => (party === 1 ? 'run' : 'another') }],
  ])('fails when the parties mean another %s', async (_, options) => {
    expect(codes(await setUpThree(options))).toEqual(['setup', 'setup', 'setup']);
  });
});
