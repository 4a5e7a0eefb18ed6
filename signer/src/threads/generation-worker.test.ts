import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nextParty } from '@countersign/custody/import-package.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { BUILT_THREADS } from '../../../test/support/built-threads.js';
import {
  canSignTogether,
  ORDERED_PAIRS,
  RSA_SCHEMES,
} from '../../../test/support/three-parties.js';
import { openFileKek } from '../secrets/kek/file-kek.js';
import { openShare } from '../secrets/sealing/share-seal.js';
import { decodeRsaKeyShare, hasItsCommittedParts } from '../secrets/rsa/rsa-key-share.js';
import { RSA_SHARE_SCHEME } from './rsa-public-values.js';
import type { GeneratedRsaKey } from './generation-messages.js';
import type { GenerationThread, GenerationThreadOptions } from './generation-worker.js';
import type { GenerationProgress } from './generation-messages.js';

// Threads run built code, so what starts them is taken from there too.
const BUILT_WORKER = new URL('../../dist/threads/generation-worker.js', import.meta.url);
const RUN_TIMEOUT_MS = 600_000;
/** How many candidates 2048 bits take is luck: up to half a minute. `npm run drills` has the time. */
const KEY =
  process.env['COUNTERSIGN_DRILLS'] === '1'
    ? { modulusBits: 2048, expected: 3_798, schemes: RSA_SCHEMES }
    : {
        modulusBits: 1024,
        expected: 1_255,
        // a modulus of 128 bytes has no room for two of its hashes (RFC 8017, 9.1.1)
        schemes: RSA_SCHEMES.filter((scheme) => scheme !== 'rsa_pss_sha512'),
      };

let startRsaGenerationThread: (options: GenerationThreadOptions) => GenerationThread;
let directory: string;

beforeAll(async () => {
  if (!existsSync(fileURLToPath(BUILT_WORKER))) {
    throw new Error('run `npm run build` first');
  }
  ({ startRsaGenerationThread } = (await import(BUILT_WORKER.href)) as {
    startRsaGenerationThread: typeof startRsaGenerationThread;
  });
  directory = mkdtempSync(join(tmpdir(), 'countersign-rsa-threads-'));
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function kekFile(party: PartyNumber): string {
  const path = join(directory, `kek-${party}`);
  if (!existsSync(path)) writeFileSync(path, randomBytes(32), { mode: 0o600 });
  return path;
}

interface Ceremony {
  readonly threads: readonly GenerationThread[];
  readonly results: Promise<PromiseSettledResult<GeneratedRsaKey>[]>;
  readonly progress: GenerationProgress[];
}

function startThree(modulusBits: number, changes: Partial<GenerationThreadOptions> = {}): Ceremony {
  const keys = { 1: randomBytes(32), 2: randomBytes(32), 3: randomBytes(32) };
  const progress: GenerationProgress[] = [];
  const threads: GenerationThread[] = [];
  for (const party of PARTY_NUMBERS) {
    threads.push(
      startRsaGenerationThread({
        threadFile: BUILT_THREADS.generation,
        cloudVariables: {},
        party,
        modulusBits,
        runId: 'run-1',
        pairKeys: { own: keys[party], next: keys[nextParty(party)] },
        kekFile: kekFile(party),
        sealedAs: 'key share',
        keyId: 'key-1',
        version: 1,
        onSend: (to, tag, bytes) => threads[to - 1]?.deliver(party, tag, bytes),
        ...(party === 1 && { onProgress: (step: GenerationProgress) => progress.push(step) }),
        ...changes,
      }),
    );
  }
  return { threads, progress, results: Promise.allSettled(threads.map(({ result }) => result)) };
}

async function openSealed(party: PartyNumber, key: GeneratedRsaKey, modulusBits: number) {
  const opened = await openShare({
    kek: openFileKek(kekFile(party)),
    aad: { purpose: 'key share', keyId: 'key-1', party, scheme: RSA_SHARE_SCHEME, version: 1 },
    wrappedDek: key.wrappedDek,
    sealed: key.sealed,
  });
  return decodeRsaKeyShare(opened, [modulusBits]);
}

function generated(result: PromiseSettledResult<GeneratedRsaKey> | undefined): GeneratedRsaKey {
  if (result?.status !== 'fulfilled') throw result?.reason ?? new Error('no result');
  return result.value;
}

describe('three threads', () => {
  test(
    'make a key with which every pair signs, each leaving its share sealed',
    async () => {
      const { modulusBits, expected, schemes } = KEY;
      const { results, progress } = startThree(modulusBits);
      const settled = await results;
      const keys = settled.map(generated);
      const [first] = keys;
      if (first === undefined) throw new Error();
      for (const key of keys) {
        expect(key.modulus).toHaveLength(modulusBits / 8);
        expect(key.publicExponent).toBe(65_537);
        expect(key.modulus).toEqual(first.modulus);
        expect(key.transcriptHash).toEqual(first.transcriptHash);
        expect(key.partCommitments).toEqual(first.partCommitments);
        expect(Object.keys(key).sort()).toEqual([
          'modulus',
          'partCommitments',
          'publicExponent',
          'sealed',
          'transcriptHash',
          'wrappedDek',
        ]);
      }
      const shares = await Promise.all(
        PARTY_NUMBERS.map((party) => openSealed(party, generated(settled[party - 1]), modulusBits)),
      );
      expect(shares.map(hasItsCommittedParts)).toEqual([true, true, true]);
      const [one, two, three] = shares;
      if (one === undefined || two === undefined || three === undefined) throw new Error();
      const shareOf = { 1: one, 2: two, 3: three };
      for (const scheme of schemes) {
        for (const [lead, partner] of ORDERED_PAIRS) {
          expect(canSignTogether(shareOf[lead], shareOf[partner], scheme)).toBe(true);
        }
      }
      expect(progress.length).toBeGreaterThan(0);
      expect(progress.at(-1)).toEqual({ tried: 96 * progress.length, expected });
    },
    RUN_TIMEOUT_MS,
  );

  test('end when one is stopped and the others are told', async () => {
    const { threads, results } = startThree(4096);
    await threads[2]?.stop();
    threads[0]?.deliver(3, 'abort', new Uint8Array());
    await threads[1]?.stop();
    const reasons = (await results).map((result) =>
      result.status === 'rejected' ? (result.reason as { code?: string }).code : 'key',
    );
    expect(reasons).toEqual(['peer-aborted', 'stopped', 'stopped']);
    // of no effect any more
    threads[2]?.deliver(1, 'setup hello', new Uint8Array(64));
    await threads[2]?.stop();
  });

  test('pass on that no modulus was found, and a message that is wrong', async () => {
    const { results } = startThree(512, { candidateLimit: 0 });
    expect(await results).toMatchObject(
      PARTY_NUMBERS.map(() => ({
        reason: { name: 'RsaGenerationError', code: 'candidate-limit' },
      })),
    );
    const { threads, results: others } = startThree(512, { onSend: () => undefined });
    threads[0]?.deliver(2, 'setup hello', new Uint8Array(3));
    threads[0]?.deliver(3, 'setup hello', new Uint8Array(3));
    await expect(threads[0]?.result).rejects.toMatchObject({ code: 'malformed', party: 2 });
    await Promise.all(threads.map((thread) => thread.stop()));
    await others;
  });
});

describe('a thread', () => {
  test('does not start with a KEK that others may read, and says why', async () => {
    const path = kekFile(1);
    chmodSync(path, 0o644);
    const { threads, results } = startThree(512);
    await expect(threads[0]?.result).rejects.toThrow('set it to 0600');
    await Promise.all(threads.map((thread) => thread.stop()));
    await results;
    chmodSync(path, 0o600);
  });

  test('leaves the pair keys of its caller alone', async () => {
    const pairKeys = { own: randomBytes(32), next: randomBytes(32) };
    const before = Buffer.concat([pairKeys.own, pairKeys.next]);
    const { threads, results } = startThree(512, { pairKeys, onSend: () => undefined });
    await Promise.all(threads.map((thread) => thread.stop()));
    await results;
    expect(Buffer.concat([pairKeys.own, pairKeys.next])).toEqual(before);
  });
});
