import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { partCommitment } from '@countersign/custody/import-package.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import {
  canSignTogether,
  faultsOf,
  generateWithThreeParties,
  ORDERED_PAIRS,
  RSA_SCHEMES,
  settleThreeParties,
} from '../../../../test/support/three-parties.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { generationParameters } from './generation-parameters.js';
import { createMailbox } from './mailbox.js';
import { runRsaGeneration } from './run-generation.js';
import type { GenerationProgress } from '../../threads/generation-messages.js';

const RUN_TIMEOUT_MS = 600_000;

describe('parameters', () => {
  test.each([
    [512, 97, 120, 474],
    [1024, 277, 375, 1_255],
    [2048, 643, 886, 3_798],
    [3072, 1_013, 1_399, 7_461],
    [4096, 1_373, 1_909, 12_170],
  ])('for %d bits: sieve bound, bits of M, expected candidates', (bits, bound, size, expected) => {
    const parameters = generationParameters(bits);
    expect(parameters.unitGroups.at(-1)?.primes.at(-1)).toBe(bound);
    expect(parameters.sieveModulus.toString(2)).toHaveLength(size);
    expect(parameters.expectedCandidates).toBe(expected);
  });

  test.each([512, 2048, 4096])('for %d bits every p has a full square and its length', (bits) => {
    const { primeBits, sieveModulus, spreadBase, spreadWidth, checkField } =
      generationParameters(bits);
    const lowest = 4n * sieveModulus * spreadBase;
    const highest = 4n * sieveModulus * (spreadBase + 3n * (spreadWidth - 1n)) + 12n * sieveModulus;
    expect(lowest * lowest >= 1n << BigInt(bits - 1)).toBe(true);
    expect(highest < 1n << BigInt(primeBits)).toBe(true);
    expect(spreadWidth.toString(2).length).toBeGreaterThan(128);
    expect(checkField > 1n << BigInt(bits)).toBe(true);
  });

  test('for another size there are none', () => {
    expect(() => generationParameters(2040)).toThrow(RsaGenerationError);
  });
});

describe('an honest run', () => {
  test.each([512, 1024])(
    'of %d bits ends with one good key at all parties',
    async (modulusBits) => {
      const progress: GenerationProgress[] = [];
      const results = await generateWithThreeParties({
        modulusBits,
        onProgress: (step) => progress.push(step),
      });
      const shares = { 1: results[1].share, 2: results[2].share, 3: results[3].share };
      expect(faultsOf(shares, modulusBits)).toEqual([]);
      for (const party of PARTY_NUMBERS) {
        expect(results[party].transcriptHash).toEqual(results[1].transcriptHash);
        expect(shares[party].partCommitments).toEqual(shares[1].partCommitments);
        expect(shares[party].partCommitments[party - 1]).toEqual(
          partCommitment(party, shares[party].own),
        );
      }
      expect(shares[1].next).toEqual(shares[2].own);
      expect(shares[2].next).toEqual(shares[3].own);
      expect(shares[3].next).toEqual(shares[1].own);
      expect(progress.at(-1)).toEqual({
        tried: 96 * progress.length,
        expected: expect.any(Number),
      });

      // shorter moduli have no room for the longer hashes
      const schemes =
        modulusBits < 1024
          ? (['rsa_pkcs1_sha256'] as const)
          : RSA_SCHEMES.filter((scheme) => scheme !== 'rsa_pss_sha512');
      const good = schemes.filter((scheme) =>
        ORDERED_PAIRS.every(([one, other]) => canSignTogether(shares[one], shares[other], scheme)),
      );
      expect(good).toEqual([...schemes]);
    },
    RUN_TIMEOUT_MS,
  );

  test('draws other numbers when it is started again with the same keys and id', async () => {
    const pairKeys = { 1: randomBytes(32), 2: randomBytes(32), 3: randomBytes(32) };
    const openings: string[] = [];
    for (let run = 0; run < 2; run += 1) {
      const mailboxes = { 1: createMailbox(), 2: createMailbox(), 3: createMailbox() };
      await Promise.allSettled(
        ([1, 2, 3] as const).map((party) =>
          runRsaGeneration({
            party,
            modulusBits: 512,
            runId: 'again',
            pairKeys: {
              own: pairKeys[party],
              next: pairKeys[party === 3 ? 1 : party === 2 ? 3 : 2],
            },
            transport: {
              send(to, tag, bytes) {
                if (tag === 'batch 0 opening') openings.push(Buffer.from(bytes).toString('hex'));
                mailboxes[to].deliver(party, tag, bytes);
              },
              receive: mailboxes[party].receive,
            },
            random: randomBytes,
            candidateLimit: 1,
          }),
        ),
      );
    }
    expect(openings).toHaveLength(12);
    expect(new Set(openings).size).toBe(6);
  });

  test('that finds nothing ends at its limit', async () => {
    const outcomes = await settleThreeParties({
      modulusBits: 512,
      candidateLimit: 192,
      tamper: ({ tag, bytes }) => (tag.endsWith('first pass') ? randomBytes(bytes.length) : bytes),
    });
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'candidate-limit' } });
    }
  });

  test('that ends at its limit says so at a party that hears of it late', async () => {
    const outcomes = await settleThreeParties({
      modulusBits: 512,
      candidateLimit: 0,
      async tamper({ from, to, bytes }) {
        if (from === 2 && to === 3) await setTimeout(50);
        return bytes;
      },
    });
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'candidate-limit' } });
    }
  });

  test('does not start with a pair key of another length', async () => {
    const { receive } = createMailbox();
    const pairKeys = { own: randomBytes(32), next: randomBytes(31) };
    const transport = { send: () => undefined, receive };
    await expect(
      runRsaGeneration({
        party: 1,
        modulusBits: 512,
        runId: 'short',
        pairKeys,
        transport,
        random: randomBytes,
      }),
    ).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

describe('a mailbox', () => {
  test('keeps the first message of a sender and tag, before and after it was asked for', async () => {
    const mailbox = createMailbox();
    const [one, two] = [randomBytes(4), randomBytes(4)];
    mailbox.deliver(2, 'a', one);
    mailbox.deliver(2, 'a', two);
    mailbox.deliver(3, 'a', two);
    await expect(mailbox.receive(2, 'a')).resolves.toBe(one);
    mailbox.deliver(2, 'a', two);
    const again = mailbox.receive(2, 'a');
    const other = mailbox.receive(3, 'b');
    mailbox.deliver(3, 'b', one);
    await expect(other).resolves.toBe(one);
    mailbox.deliver(2, 'abort', new Uint8Array());
    await expect(again).rejects.toMatchObject({ code: 'peer-aborted', party: 2 });
    await expect(mailbox.receive(3, 'c')).rejects.toMatchObject({ code: 'peer-aborted' });
  });

  test.each([
    ['too many messages', 'tag', 10, 65],
    ['a message that is too large', 'tag', 262_145, 1],
    ['a tag that is too long', 't'.repeat(65), 1, 1],
  ])('gives up on a party that sends %s', async (_, tag, size, count) => {
    const mailbox = createMailbox();
    const asked = mailbox.receive(1, 'wanted');
    for (let sent = 0; sent < count; sent += 1) {
      mailbox.deliver(3, count === 1 ? tag : `${tag} ${sent}`, new Uint8Array(size));
    }
    await expect(asked).rejects.toMatchObject({ code: 'malformed', party: 3 });
  });
});
