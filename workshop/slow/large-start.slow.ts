/**
 * How long a gateway and three parties take to start over a ledger of 100,000 entries, all at once on this machine: the
 * first time from the genesis, then each from what it kept of its own fold. `PART` makes the ledger shorter: of `PART=4`
 * it is a quarter. Prints the figures, and fails where what started so tells another story of the ledger.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { openStack, type Stack } from '../../infra/dev/dist/stack/open-stack.js';
import { openPrepared } from '../../test/support/prepared-vault.ts';
import { fillVault } from './large-vault.ts';
import { processorTimeOf } from './processor-time.ts';
import { openTestVault, type TestVault } from '../../test/support/test-vault.ts';

const PART = Number(process.env['PART'] ?? 1);
const ENTRIES = 100_000 / PART;
/** What asks for it, and three attestations. */
const ENTRIES_OF_A_WALLET = 4;
const AT_ONCE = 8;
const HOUR_MS = 3_600_000;

let vault: TestVault;
let again: Stack | undefined;
let filledAt = 0;
const figures: Record<string, unknown> = { entries: ENTRIES };

const say = (what: string) => void process.stderr.write(`${what}\n`);

beforeAll(async () => {
  vault = await openTestVault({
    readyTimeoutMs: HOUR_MS,
    onServers: async (servers) => {
      const prepared = await openPrepared(servers);
      const wallets = ENTRIES / ENTRIES_OF_A_WALLET;
      await fillVault(servers, prepared, { users: 1, wallets }, say);
      filledAt = performance.now();
    },
  });
  figures['first_start_seconds'] = secondsSince(filledAt);
}, HOUR_MS);
afterAll(async () => {
  say(JSON.stringify(figures, null, 2));
  await again?.stop();
  await vault?.close();
}, 120_000);

const secondsSince = (at: number) => (performance.now() - at) / 1_000;

const snapshots = () =>
  ['gateway', ...PARTY_NUMBERS.map((party) => `party-${party}`)].map(
    (name) => `${vault.prepared.pinFile(name)}.snapshot`,
  );

/** By as much as has to lie behind a snapshot. */
async function changeOn(): Promise<void> {
  let changes = 0;
  const each = Array.from({ length: AT_ONCE }, async () => {
    while (!snapshots().every((path) => existsSync(path))) {
      await vault.createMachine();
      changes += 1;
    }
  });
  await Promise.all(each);
  figures['changes_behind'] = changes;
}

const processesOf = ({ gateway, signers }: Stack) => [gateway, ...signers];

const figuresOf = (stack: Stack) =>
  Object.fromEntries(
    processesOf(stack).map(({ name, pid }) => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const residentMb = Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
      return [name, { cpu_seconds: processorTimeOf(pid), resident_mb: Math.round(residentMb) }];
    }),
  );

/** Of the ledger's beginning, middle and end, and of all keys. */
async function story(baseUrl: string): Promise<unknown> {
  const client = vault.clientFor(vault.adminCredential, baseUrl);
  const chain = '/v1/audit-logs/chains/ledger';
  const targets = [0, ENTRIES / 2, ENTRIES - 50].map((after) => `${chain}?after=${after}&limit=50`);
  const answers = [...targets, '/v1/keys?limit=50', '/v1/vaults'].map(async (target) => {
    const { status, body } = await client.get(target);
    expect([target, status]).toEqual([target, 200]);
    return body;
  });
  return Promise.all(answers);
}

it(
  'is started again from what each node kept, and tells the same',
  async () => {
    figures['first'] = figuresOf(vault.stack);
    await changeOn();
    const before = await story(vault.baseUrl);
    await vault.stack.stop();
    figures['snapshot_mb'] = snapshots().map((path) => statSync(path).size / 1e6);

    const startedAt = performance.now();
    again = await openStack(vault.options, 0);
    figures['next_start_seconds'] = secondsSince(startedAt);
    figures['next'] = figuresOf(again);
    for (const { name, output } of processesOf(again)) {
      expect([name, output()]).toEqual([name, expect.stringContaining('ledger_resumed')]);
    }
    expect(await story(again.baseUrl)).toEqual(before);
  },
  HOUR_MS,
);
