/**
 * A primary replica writes a head down before it speaks for it. So wherever it is killed, it never comes to speak for two
 * histories, and what it has said is what it remembers.
 */
import { setTimeout } from 'node:timers/promises';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { toHex } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Countersignature } from '@countersign/core/party-statements.js';
import { decodeEntryBody, type EntryRow } from '@countersign/vault/ledger/entry.js';
import { restartableNodes, type RestartableNodes } from '../support/restartable-nodes.ts';
import { finalRecord, shootMany, statusesOf } from '../support/signing-load.ts';
import { readStoredLedger } from '../support/stored-ledger.ts';
import { expectOk, openTestVault } from '../support/test-vault.ts';
import type { TestUser, TestVault, TestWallet } from '../support/test-vault.ts';
import { someOf } from '../support/drills.ts';

jest.setTimeout(180_000);

let vault: TestVault;
let nodes: RestartableNodes;
let bot: TestUser;
let wallet: TestWallet;

beforeAll(async () => {
  vault = await openTestVault();
  nodes = restartableNodes(vault);
  bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
}, 120_000);

afterAll(async () => {
  await nodes?.stopAll();
  await vault?.close();
}, 60_000);

const readLedger = () => readStoredLedger(vault.servers.ownerUrl);

interface Pin {
  readonly seq: number;
  readonly hash: string;
}

const pinOf = (party: PartyNumber) =>
  JSON.parse(readFileSync(vault.prepared.pinFile(`party-${party}`), 'utf8')) as Pin;

function wordsOf(rows: readonly EntryRow[], party: PartyNumber): Countersignature[] {
  return rows.flatMap(({ body }) => {
    const { content } = decodeEntryBody(body);
    return content.kind === 'countersignature' && content.statement.party === party
      ? [content.statement]
      : [];
  });
}

interface Answer {
  readonly status: number;
  readonly requestId: string;
}

/** Of each of three writers while one party dies: they are at it still when the last of the moments comes. */
const WRITES = 30;
const WRITERS = [1, 2, 3];

interface Writing {
  readonly underWay: Promise<void>;
  readonly done: Promise<Answer[]>;
  /** How many of the writers have not had their last answer. */
  atIt(): number;
}

/** Writes one after another, as fast as they are answered; `mark` is in their names. */
function startWriting(mark: string): Writing {
  let atIt = WRITERS.length;
  const answers: Answer[] = [];
  const { promise: underWay, resolve: begin } = deferred();
  async function write(writer: number): Promise<void> {
    for (let count = 0; count < WRITES; count++) {
      const answer = await vault.admin.send({
        method: 'POST',
        target: '/v1/user-groups',
        body: { display_name: `${mark}, writer ${writer}, group ${count}` },
        headers: { prefer: 'wait=1' },
      });
      const { request_id: requestId } = answer.body as { request_id: string };
      answers.push({ status: answer.status, requestId });
      begin();
    }
    atIt -= 1;
  }
  const done = Promise.all(WRITERS.map(write)).then(() => answers);
  return { underWay, done, atIt: () => atIt };
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}

/**
 * While writes run, so long after the first of them was answered; then the dead one has said nothing that it does
 * not remember. What the writes were answered.
 */
async function killAndCheck(party: PartyNumber, afterMs: number): Promise<Answer[]> {
  const before = pinOf(party);
  const { underWay, done, atIt } = startWriting(`party ${party} after ${afterMs} ms`);
  await Promise.race([underWay, done]);
  await setTimeout(afterMs);
  const writing = atIt();
  nodes.party(party).kill('SIGKILL');
  expect({ party, afterMs, writing }).toEqual({ party, afterMs, writing: WRITERS.length });
  await nodes.party(party).exited;
  const pin = pinOf(party);
  const rows = await readLedger();
  expect(pin.seq).toBeGreaterThanOrEqual(before.seq);
  expect(toHex(rows[pin.seq - 1]!.hash)).toBe(pin.hash);
  const said = wordsOf(rows, party);
  expect(Math.max(...said.map(({ seq }) => seq))).toBeLessThanOrEqual(pin.seq);
  await nodes.startParty(party);
  expect(pinOf(party).seq).toBeGreaterThanOrEqual(pin.seq);
  return done;
}

/** Moments of a primary replica's work, ms after writes are under way: different ones for each party. */
const MOMENTS: readonly (readonly [PartyNumber, number])[] = [
  [1, 3],
  [2, 17],
  [3, 41],
  [1, 88],
  [2, 130],
  [3, 211],
];

describe('by restarts alone: primary replicas that are killed at any moment', () => {
  it('speak for one history, and never go back', async () => {
    const answers: Answer[] = [];
    for (const [party, afterMs] of someOf(MOMENTS, 3))
      answers.push(...(await killAndCheck(party, afterMs)));
    expect(new Set(answers.map(({ status }) => status))).not.toContain(500);
    for (const { status, requestId } of answers) {
      if (status !== 202) continue;
      expect(await finalRecord(vault.admin, requestId)).toMatchObject({ status: 'completed' });
    }
    const rows = await readLedger();
    for (const party of [1, 2, 3] as const) {
      const statements = wordsOf(rows, party);
      expect(statements.length).toBeGreaterThan(0);
      for (const { seq, hash } of statements) expect(toHex(hash)).toBe(toHex(rows[seq - 1]!.hash));
      const seqs = statements.map(({ seq }) => seq);
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    }
    await expectOk(vault.admin, 'POST', '/v1/vaults', { display_name: 'after all that' });
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 6))).toEqual([200]);
  });
});
