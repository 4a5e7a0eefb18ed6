import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { Key } from '@countersign/vault/state/state.js';
import { BUILT_THREADS } from '../../../test/support/built-threads.js';
import { createCeremonyInbox } from './ceremony-inbox.js';
import type { CeremonyRun } from './ceremony-run.js';
import type { Performer, PerformerDeps } from './perform-ceremony.js';

// Threads run built code, so what starts them is taken from there too.
const BUILT_PERFORMER = new URL('../../dist/ceremonies/perform-ceremony.js', import.meta.url);
const REPLICAS = ([1, 2, 3] as const).map((party) => startReplica(party, 'a'));
const NOT_TOGETHER = 'the parties could not make the key together';

let createPerformer: (deps: PerformerDeps) => Performer;
let directory: string;
let threads: FakeThreads;
let performer: Performer;

beforeAll(async () => {
  if (!existsSync(fileURLToPath(BUILT_PERFORMER))) {
    throw new Error('run `npm run build` first');
  }
  ({ createPerformer } = (await import(BUILT_PERFORMER.href)) as {
    createPerformer: typeof createPerformer;
  });
  directory = mkdtempSync(join(tmpdir(), 'countersign-perform-'));
  writeFileSync(join(directory, 'kek'), randomBytes(32), { mode: 0o600 });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

beforeEach(() => {
  threads = openFakeThreads();
  performer = openPerformer();
});

/** What the threads of party 1 answer. */
interface FakeThreads {
  partOpens: boolean;
  trialSigns: boolean;
  /** Thrown by the maths, once. */
  fault: Error | undefined;
}

function openFakeThreads(): FakeThreads {
  return { partOpens: true, trialSigns: true, fault: undefined };
}

function openPerformer(changes: Partial<PerformerDeps> = {}): Performer {
  async function answer<Value>(value: Value): Promise<Value> {
    const { fault } = threads;
    threads.fault = undefined;
    if (fault !== undefined) throw fault;
    return value;
  }
  const pools = {
    dkgRound1: async () => randomBytes(64),
    dkgRound2: () => answer([]),
    openImport: async () =>
      threads.partOpens ? { ok: true, ...SHARE } : { ok: false, reason: 'its part does not open' },
    contributeToTrial: () => answer(new Uint8Array(32)),
    leadTrial: async () => threads.trialSigns,
  };
  return createPerformer({
    genesisHash: 'ab'.repeat(32),
    threads: pools as unknown as PerformerDeps['threads'],
    lender: { lend: async () => [] }, // an RSA key needs no commitment
    recipients: {
      find: async (recipientId) => ({ recipientId, ...SHARE, publicKey: new Uint8Array(32) }),
      insert: async () => undefined,
      deleteExpiredBefore: async () => undefined,
    },
    assignStock: async () => undefined,
    kekFile: join(directory, 'kek'),
    cloudVariables: {},
    generationThread: BUILT_THREADS.generation,
    progress: () => undefined,
    isAnothersKey: () => false,
    ...changes,
  });
}

const SHARE = {
  scheme: 'test',
  wrappedDek: new Uint8Array(60),
  sealed: new Uint8Array(60),
  publicKey: new Uint8Array(),
  transcriptHash: new Uint8Array(32),
};

function keyOf(id: string, fields: Partial<Key>): Key {
  return { id, modulusBits: null, publicKey: '', createdBy: 'user', ...fields } as Key;
}

const rsaKey = (id: string) => keyOf(id, { type: 'rsa', status: 'generating', modulusBits: 512 });
const ed25519Key = (id: string) => keyOf(id, { type: 'ed25519', status: 'generating' });
const rsaImport = (id: string) =>
  keyOf(id, {
    type: 'rsa',
    scheme: 'rsa_pss_sha256',
    publicKey: 'AAAA',
    status: 'importing',
    sealedParts: [{ party: 1, recipientId: 'recipient', sealed: 'AAAA' }],
  });

interface OpenedRun {
  readonly run: CeremonyRun;
  readonly stop: () => void;
}

/** A run as party 1 takes part in it; nothing that it sends reaches anybody. Party 3 has said its pair secret. */
function openRun(keyId: string, pairSecret: Uint8Array = randomBytes(32)): OpenedRun {
  const controller = new AbortController();
  const inbox = createCeremonyInbox(1);
  if (pairSecret.length > 0) inbox.put('pair secret', 3, pairSecret);
  const run: CeremonyRun = {
    self: REPLICAS[0]!,
    session: randomBytes(16).toString('hex'),
    keyId,
    replicas: REPLICAS,
    stockId: '',
    inbox,
    signal: controller.signal,
    send: async () => undefined,
  };
  return { run, stop: () => controller.abort() };
}

interface Ended {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

/** What the run came to: the error that it ended by, or the name of a key's share. */
async function endOf(performed: Promise<unknown>): Promise<Ended> {
  try {
    await performed;
    return { name: 'share', message: '' };
  } catch (error) {
    const { name, message } = error as Error;
    const code = (error as { code?: string }).code;
    return { name, message, ...(code !== undefined && { code }) };
  }
}

type Spoil = (opened: OpenedRun) => void;

/** Of another length than a hello of this protocol. */
const spoiled: Spoil = ({ run }) => run.inbox.put('setup hello', 2, randomBytes(3));
const aborted: Spoil = ({ run }) => run.inbox.put('abort', 3, new Uint8Array());
const stopped: Spoil = ({ stop }) => stop();
const ofAnotherRun: Spoil = ({ run }) => {
  for (const party of [2, 3] as const) run.inbox.put('setup hello', party, randomBytes(64));
};

const BENIGN: readonly (readonly [code: string, how: Spoil])[] = [
  ['peer-aborted', aborted],
  ['stopped', stopped],
  ['setup', ofAnotherRun],
];

function generate(keyId: string, how: Spoil, by = performer): Promise<Ended> {
  const opened = openRun(keyId);
  how(opened);
  return endOf(by.perform(opened.run, rsaKey(keyId)));
}

async function generateTimes(count: number, keyId: string, how: Spoil): Promise<Ended[]> {
  const ends: Ended[] = [];
  for (let run = 0; run < count; run++) ends.push(await generate(keyId, how));
  return ends;
}

const FAULT = expect.objectContaining({ name: 'RsaGenerationError', code: 'malformed' });
const GIVEN_UP = { name: 'KeyRefusedError', message: NOT_TOGETHER };

describe('an RSA key', () => {
  it('is not made with a pair secret of another length', async () => {
    const { run } = openRun('short', randomBytes(31));
    expect(await endOf(performer.perform(run, rsaKey('short')))).toEqual(FAULT);
  });

  it('waits for no pair secret once its run is over', async () => {
    const { run, stop } = openRun('silent', new Uint8Array());
    const ended = endOf(performer.perform(run, rsaKey('silent')));
    stop();
    expect(await ended).toMatchObject({ code: 'stopped' });
  });

  it('is given up at the fifth run that a party spoiled, and no sooner', async () => {
    expect(await generateTimes(4, 'k', spoiled)).toEqual([FAULT, FAULT, FAULT, FAULT]);
    expect(await generate('k', spoiled)).toEqual(GIVEN_UP);
  });

  it('stays given up without another run, should the refusal not have been written', async () => {
    await generateTimes(5, 'k', spoiled);
    const opened = openRun('k'); // nobody sends anything: a run would wait
    expect(await endOf(performer.perform(opened.run, rsaKey('k')))).toEqual(GIVEN_UP);
  });

  it.each(BENIGN)('is not given up for runs that ended by %s, however many', async (code, how) => {
    const ends = await generateTimes(6, 'k', how);
    expect(ends.map((end) => [end.name, end.code])).toEqual(
      Array(6).fill(['RsaGenerationError', code]),
    );
  });

  it('is not given up for a defect of this process', async () => {
    const broken = openPerformer({ kekFile: join(directory, 'missing') });
    for (let run = 0; run < 6; run++) {
      expect((await generate('k', spoiled, broken)).name).toBe('Error');
    }
  });

  it('has its faults counted over runs between them that ended otherwise', async () => {
    for (const [, how] of BENIGN) {
      expect(await generate('k', spoiled)).toEqual(FAULT);
      await generate('k', how);
    }
    expect(await generate('k', spoiled)).toEqual(FAULT);
    expect(await generate('k', spoiled)).toEqual(GIVEN_UP);
  });

  it('has its own faults counted alone', async () => {
    await generateTimes(4, 'k', spoiled);
    expect(await generate('l', spoiled)).toEqual(FAULT);
    expect(await generate('k', spoiled)).toEqual(GIVEN_UP);
    expect(await generate('l', spoiled)).toEqual(FAULT);
  });

  it('that nobody asked for yet is never given up: it is no key of the ledger', async () => {
    for (let run = 0; run < 5; run++) {
      const opened = openRun('stock');
      spoiled(opened);
      expect(await endOf(performer.generateRsa(opened.run, 512))).toEqual(FAULT);
    }
    expect(await generate('stock', spoiled)).toEqual(FAULT);
  });
});

describe('an Ed25519 key', () => {
  it('is never given up: a wallet must come to have its address', async () => {
    for (let run = 0; run < 12; run++) {
      threads.fault = new Error('the proof of party 2 does not hold');
      const opened = openRun('k');
      for (const party of [2, 3] as const) opened.run.inbox.put('round1', party, randomBytes(64));
      const end = await endOf(performer.perform(opened.run, ed25519Key('k')));
      expect(end).toEqual({ name: 'Error', message: 'the proof of party 2 does not hold' });
    }
  });
});

const TRIAL_FAILED = 'its part and that of party 2 do not sign together';

/** The trial of party 1, which leads with party 2 and is the partner of party 3. */
function importOnce(keyId: string): Promise<Ended> {
  const opened = openRun(keyId);
  opened.run.inbox.put('trial-commitment', 3, new Uint8Array());
  opened.run.inbox.put('trial-contribution', 2, new Uint8Array(32));
  for (const party of [2, 3] as const)
    opened.run.inbox.put('trial-end', party, SHARE.transcriptHash);
  return endOf(performer.perform(opened.run, rsaImport(keyId)));
}

describe('an import', () => {
  it('is given up at the second trial signature that fails, and not at the first', async () => {
    threads.trialSigns = false;
    expect(await importOnce('k')).toEqual({ name: 'Error', message: TRIAL_FAILED });
    expect(await importOnce('k')).toEqual({ name: 'KeyRefusedError', message: TRIAL_FAILED });
  });

  it('stays given up without another trial, should the refusal not have been written', async () => {
    threads.trialSigns = false;
    await importOnce('k');
    await importOnce('k');
    threads.trialSigns = true;
    expect((await importOnce('k')).name).toBe('KeyRefusedError');
  });

  it('is complete when the trial after one that failed signs', async () => {
    threads.trialSigns = false;
    await importOnce('k');
    threads.trialSigns = true;
    expect((await importOnce('k')).name).toBe('share');
  });

  it('is not given up for another failure, which is no trial that failed', async () => {
    for (let run = 0; run < 3; run++) {
      threads.fault = new Error('the thread ended');
      expect(await importOnce('k')).toEqual({ name: 'Error', message: 'the thread ended' });
    }
    threads.trialSigns = false;
    expect((await importOnce('k')).name).toBe('Error');
    threads.fault = new Error('the thread ended');
    await importOnce('k');
    expect((await importOnce('k')).name).toBe('KeyRefusedError');
  });

  it('has its own trials counted alone', async () => {
    threads.trialSigns = false;
    expect((await importOnce('k')).name).toBe('Error');
    expect((await importOnce('l')).name).toBe('Error');
    expect((await importOnce('l')).name).toBe('KeyRefusedError');
    expect((await importOnce('k')).name).toBe('KeyRefusedError');
  });

  it('of what is or was another key is given up before a part is opened', async () => {
    performer = openPerformer({ isAnothersKey: ({ id }) => id === 'k' });
    threads.partOpens = false;
    const reason = 'it is, or was, another key of this vault';
    expect(await importOnce('k')).toEqual({ name: 'KeyRefusedError', message: reason });
  });

  it('is given up at once when its part does not open', async () => {
    threads.partOpens = false;
    const reason = 'its part does not open';
    expect(await importOnce('k')).toEqual({ name: 'KeyRefusedError', message: reason });
  });
});
