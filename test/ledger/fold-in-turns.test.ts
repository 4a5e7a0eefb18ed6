/** Folding long pages with a thread that verifies ahead: the same comes of it, with the thread and without one. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeAll, expect, it } from '@jest/globals';
import { createFoldInTurns, type FoldInTurns } from '@countersign/runtime/ledger/fold-in-turns.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import type { EntryRow } from '@countersign/vault/ledger/entry.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { verifyWords, type VerifySignature } from '@countersign/vault/ledger/verified-words.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import { sha256 } from '@countersign/core/hash.js';
import { createLedgerBuilder, type LedgerBuilder } from '../support/ledger-builder.ts';

const WORD_THREAD = new URL('../../shared/runtime/dist/ledger/word-thread.js', import.meta.url);
const NO_THREAD = new URL('./no-such-thread.js', import.meta.url);

let ledger: LedgerBuilder;
const opened: FoldInTurns[] = [];
beforeAll(() => {
  ledger = createLedgerBuilder();
  for (let index = 0; index < 100; index += 1) {
    ledger.must(ledger.admin, 'POST', '/v1/vaults', { display_name: `vault ${index}` });
  }
});
afterEach(async () => {
  for (const turns of opened.splice(0)) await turns.rest();
});

/** A page of one row, so that the genesis is known, and one of the rest. */
async function foldAll(thread: URL) {
  const failures: string[] = [];
  const onFailure = ({ message }: Error) => void failures.push(message);
  const turns = createFoldInTurns({ thread, onFailure });
  opened.push(turns);
  const fold = createFold({ keys: ledger.keys });
  const outcomes: EntryOutcome[] = [];
  const sizes: number[] = [];
  const verifiers = new Set<VerifySignature>();
  const into = {
    get signers() {
      return fold.view.state;
    },
    fold(rows: readonly EntryRow[], verify: VerifySignature) {
      sizes.push(rows.length);
      verifiers.add(verify);
      outcomes.push(...fold.advance(rows, verify));
    },
  };
  await turns.fold(ledger.rows.slice(0, 1), into);
  await turns.fold(ledger.rows.slice(1), into);
  return { fold, outcomes, sizes, failures, verify: [...verifiers].at(-1)! };
}

it.each([
  ['with the thread', WORD_THREAD],
  ['without one, where it cannot be started', NO_THREAD],
])('a ledger comes to the same in turns, %s', async (_how, thread) => {
  const { fold, outcomes, sizes } = await foldAll(thread);
  expect(outcomes).toEqual(ledger.outcomes);
  expect(stateHash(fold.view.state)).toBe(stateHash(ledger.state));
  expect(sizes).toEqual([1, ...Array.from({ length: 15 }, () => 20)]);
});

it('the thread says of words what the fold would', async () => {
  const { parties, genesisHash } = ledger.state;
  const worker = new Worker(WORD_THREAD, { workerData: { parties, genesisHash }, env: {} });
  const bodies = ledger.rows.map(({ body }) => body);
  worker.postMessage(bodies);
  const [said] = (await once(worker, 'message')) as [Uint8Array];
  await worker.terminate();
  expect(said).toHaveLength(200 * 32);
  expect(Buffer.from(said).equals(verifyWords(bodies, ledger.state))).toBe(true);
});

it('what the thread says is heard, and a thread that fails is told of', async () => {
  const [key, message, signature] = [Buffer.alloc(32, 1), Buffer.alloc(9, 2), Buffer.alloc(64, 3)];
  const fingerprint = sha256(Buffer.concat([key, signature, message]));
  const code = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => parentPort.postMessage(Uint8Array.from([${fingerprint.join()}])));`;
  const { verify, failures } = await foldAll(
    new URL(`data:text/javascript,${encodeURIComponent(code)}`),
  );
  while (!verify(key, message, signature))
    await new Promise((resolve) => void setImmediate(resolve));
  expect(failures).toEqual([]);

  const broken = await foldAll(NO_THREAD);
  while (broken.failures.length === 0) await new Promise((resolve) => void setImmediate(resolve));
  expect(broken.failures).toEqual([expect.stringContaining('no-such-thread.js')]);
});
