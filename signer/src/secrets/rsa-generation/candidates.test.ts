import { checkPrimeSync, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { nextParty } from '@countersign/custody/import-package.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { gcd } from '../rsa/integers.js';
import { drawCandidates, type SharedCandidate } from './candidates.js';
import { GenerationChannel } from './generation-channel.js';
import { generationParameters } from './generation-parameters.js';
import { createMailbox } from './mailbox.js';
import { setUpPairSecrets } from './setup.js';
import { hasSmallFactor } from './trial-division.js';

const BITS = 512;
const BATCHES = 10;
const parameters = generationParameters(BITS);

type Shared = Readonly<Record<PartyNumber, SharedCandidate>>;

/** Batches of candidates as the three parties hold them. */
async function drawBatches(): Promise<Shared[]> {
  const mailboxes = { 1: createMailbox(), 2: createMailbox(), 3: createMailbox() };
  const keys = { 1: randomBytes(32), 2: randomBytes(32), 3: randomBytes(32) };
  const ofParties = await Promise.all(
    PARTY_NUMBERS.map(async (party) => {
      const channel = new GenerationChannel(party, {
        send: (to, tag, bytes) => mailboxes[to].deliver(party, tag, bytes),
        receive: mailboxes[party].receive,
      });
      const secrets = await setUpPairSecrets(channel, {
        modulusBits: BITS,
        runId: 'candidates',
        pairKeys: { own: keys[party], next: keys[nextParty(party)] },
        random: randomBytes,
      });
      const drawn: SharedCandidate[] = [];
      for (let batch = 0; batch < BATCHES; batch += 1) {
        const label = `batch ${batch}`;
        drawn.push(...(await drawCandidates(channel, parameters, secrets.streams(label), label)));
      }
      return drawn;
    }),
  );
  const [first = [], second = [], third = []] = ofParties;
  return first.map((one, index) => {
    const [two, three] = [second[index], third[index]];
    if (two === undefined || three === undefined) throw new Error();
    return { 1: one, 2: two, 3: three };
  });
}

const joined = (shared: Shared, name: 'p' | 'q'): bigint =>
  shared[1][name].own + shared[2][name].own + shared[3][name].own;

describe('shared candidates', () => {
  let candidates: Shared[];
  let values: bigint[];

  beforeAll(async () => {
    candidates = await drawBatches();
    values = candidates.flatMap((shared) => [joined(shared, 'p'), joined(shared, 'q')]);
  });

  test('are held alike by both holders of each share', () => {
    for (const shared of candidates) {
      for (const party of PARTY_NUMBERS) {
        const after = shared[nextParty(party)];
        expect(shared[party].p.next).toBe(after.p.own);
        expect(shared[party].q.next).toBe(after.q.own);
        expect(shared[party].openingMasks.next).toBe(after.openingMasks.own);
      }
    }
  });

  test('are distinct, 3 modulo 4, of full length and coprime to the sieve', () => {
    expect(new Set(values).size).toBe(2 * 96 * BATCHES);
    for (const value of values) {
      expect(value % 4n).toBe(3n);
      expect(value * value >= 1n << BigInt(BITS - 1)).toBe(true);
      expect(value < 1n << BigInt(BITS / 2)).toBe(true);
      expect(gcd(value, parameters.sieveModulus)).toBe(1n);
    }
  });

  test('are prime as often as the sieve promises', () => {
    const primes = values.filter((value) => checkPrimeSync(value)).length;
    const expected = values.length / Math.sqrt(parameters.expectedCandidates);
    // 6 standard deviations of a count of about 88
    expect(Math.abs(primes - expected)).toBeLessThan(6 * Math.sqrt(expected));
  });

  test('lose by trial division what has a factor up to 50,000, and nothing else', () => {
    const { divisionGroups } = parameters;
    const divisors = divisionGroups.flatMap(({ primes }) => primes);
    expect(divisors[0]).toBe(101);
    expect(divisors.at(-1)).toBe(49_999);
    for (const value of values.slice(0, 200)) {
      const isDivisible = divisors.some((prime) => value % BigInt(prime) === 0n);
      expect(hasSmallFactor(value, divisionGroups)).toBe(isDivisible);
    }
  });
});
