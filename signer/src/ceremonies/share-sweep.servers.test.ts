/** Which shares a party keeps and which it deletes, in its own schema of a real database. */
import pg from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { createLoggedAlarms } from '@countersign/runtime/alarms/alarms.js';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createLogger } from '@countersign/runtime/process/logger.js';
import {
  createLedgerBuilder,
  keyStory,
  type LedgerBuilder,
} from '../../../test/support/ledger-builder.js';
import { refuseKey } from '../../../test/support/party-facts.js';
import { openTestServers, type TestServers } from '../../../test/support/test-servers.js';
import { eventually } from '../../../test/support/test-vault.js';
import { createShareStore, type ShareStore } from '../records/share-store.js';
import { createCeremonyInboxes } from './ceremony-inbox.js';
import { openKeyCeremonies, type KeyCeremonies } from './key-ceremonies.js';

const PARTIES = [1, 2, 3] as const;
const MINUTE_MS = 60_000;
const PATIENCE_MS = 20_000;

let servers: TestServers;
let owner: pg.Pool;
let partyPool: pg.Pool;
let ledger: LedgerBuilder;
let opened: KeyCeremonies | undefined;

beforeAll(async () => {
  servers = await openTestServers();
  owner = new pg.Pool({ connectionString: servers.ownerUrl, max: 2 });
  partyPool = new pg.Pool({ connectionString: servers.roleUrls.party_3, max: 2 });
}, 60_000);
afterAll(async () => {
  await owner?.end();
  await partyPool?.end();
  await servers?.close();
}, 60_000);

beforeEach(() => {
  ledger = createLedgerBuilder();
  // the minute alone is the test's: the database has its own timers
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'performance',
      'hrtime',
      'nextTick',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
    ],
  });
});
afterEach(async () => {
  opened?.stop();
  jest.useRealTimers();
  for (const party of PARTIES) await owner.query(`DELETE FROM party_${party}.key_share`);
});

/** Party 3, which calls no runs, over a store of its own. */
function openParty(change: (store: ShareStore) => ShareStore = (store) => store): KeyCeremonies {
  const follower = {
    get state() {
      return ledger.state;
    },
    waitUntil: async () => false,
  } as unknown as LedgerFollower;
  const nothing = async () => undefined;
  opened = openKeyCeremonies({
    self: startReplica(3, 'a'),
    follower,
    shares: change(createShareStore(partyPool, 3)),
    inboxes: createCeremonyInboxes(3, Date.now),
    attester: { keep: nothing, attest: nothing, refuse: nothing },
    lock: { acquire: async () => false, release: nothing, close: nothing },
    logger: createLogger('test', 'silent'),
    alarms: createLoggedAlarms(createLogger('test', 'silent')),
    now: Date.now,
    send: nothing,
    findReplicas: nothing,
    findStock: async () => '',
    perform: () => Promise.reject(new Error('no run is asked for')),
  });
  return opened;
}

const SESSION = 'the run that won';

async function keepShare(keyId: string, session = SESSION, party: PartyNumber = 3): Promise<void> {
  await owner.query(
    `INSERT INTO party_${party}.key_share (key_id, session, scheme, version, kek_id, wrapped_dek,
       sealed, created_at) VALUES ($1, $2, 'test', 1, 'kek', '\\x01', '\\x02', now())`,
    [keyId, session],
  );
}

/** The shares of a party, as `key id/session`. */
async function sharesOf(party: PartyNumber): Promise<string[]> {
  const { rows } = await owner.query<{ key_id: string; session: string }>(
    `SELECT key_id, session FROM party_${party}.key_share`,
  );
  return rows.map((row) => `${row.key_id}/${row.session}`).toSorted();
}

const shareIds = (...keyIds: readonly string[]) =>
  keyIds.map((keyId) => `${keyId}/${SESSION}`).toSorted();

/** Waits until the party holds these, and nothing else. */
async function expectShares(...keyIds: readonly string[]): Promise<void> {
  const expected = JSON.stringify(shareIds(...keyIds));
  await eventually(async () => JSON.stringify(await sharesOf(3)) === expected, PATIENCE_MS);
}

let counter = 0;

const newKey = (type: 'ed25519' | 'rsa') =>
  ledger.must(ledger.admin, 'POST', '/v1/keys', { type, display_name: `key ${++counter}` });

function liveKey(): string {
  const keyId = newKey('ed25519');
  for (const party of PARTIES)
    ledger.attest(party, keyId, { ...keyStory(keyId), session: SESSION });
  return keyId;
}

const destroy = (keyId: string) => ledger.send(ledger.admin, 'POST', `/v1/keys/${keyId}/destroy`);

function destroyedKey(): string {
  const keyId = liveKey();
  destroy(keyId);
  return keyId;
}

function failedKey(): string {
  const keyId = newKey('rsa');
  refuseKey(ledger, 1, keyId);
  return keyId;
}

/** The key of a wallet that was removed: it signs nothing and is kept. */
function disabledKey(): string {
  const { admin } = ledger;
  const vaultId = ledger.must(admin, 'POST', '/v1/vaults', { display_name: `vault ${++counter}` });
  const wallets = `/v1/vaults/${vaultId}/wallets`;
  const walletId = ledger.must(admin, 'POST', wallets, { network_family: 'solana' });
  const { keyId } = ledger.state.wallets.rows.get(walletId)!;
  for (const party of PARTIES) ledger.attest(party, keyId);
  const { address } = ledger.state.wallets.rows.get(walletId)!;
  ledger.must(admin, 'POST', `${wallets}/freeze?addresses=${address}`);
  ledger.must(admin, 'DELETE', `${wallets}?addresses=${address}`);
  return keyId;
}

const statusOf = (keyId: string) => ledger.state.keys.rows.get(keyId)!.status;

describe('the shares of a party that was down', () => {
  it('are deleted at its start if their keys are no more, and kept if they are', async () => {
    const kept = [liveKey(), disabledKey(), newKey('ed25519'), newKey('rsa')];
    const gone = [destroyedKey(), failedKey(), destroyedKey()];
    expect([...kept, ...gone].map(statusOf)).toEqual([
      'active',
      'disabled',
      'generating',
      'generating',
      'destroyed',
      'failed',
      'destroyed',
    ]);
    for (const party of PARTIES) {
      for (const keyId of [...kept, ...gone]) await keepShare(keyId, SESSION, party);
    }
    await keepShare(gone[0]!, 'another run');
    openParty();
    await expectShares(...kept);
    // each party looks after its own
    for (const party of [1, 2] as const) {
      expect(await sharesOf(party)).toEqual(shareIds(...kept, ...gone));
    }
  });
});

describe('the look once a minute', () => {
  /** A party whose first look is over. */
  async function openIdleParty(...kept: readonly string[]): Promise<void> {
    await keepShare(destroyedKey());
    openParty();
    await expectShares(...kept);
  }

  it('deletes what a run that ended late left, and no share of a live key', async () => {
    const live = liveKey();
    await keepShare(live);
    await openIdleParty(live);
    const late = [destroyedKey(), failedKey()];
    for (const keyId of late) await keepShare(keyId);
    jest.advanceTimersByTime(MINUTE_MS - 1);
    expect(await sharesOf(3)).toEqual(shareIds(live, ...late));
    jest.advanceTimersByTime(1);
    await expectShares(live);
    // and again, as long as the process runs
    await keepShare(late[0]!);
    jest.advanceTimersByTime(MINUTE_MS);
    await expectShares(live);
  });

  it('makes up for a deletion that failed', async () => {
    const live = liveKey();
    const going = liveKey();
    for (const keyId of [live, going]) await keepShare(keyId);
    let failures = 0;
    let isDown = true;
    const ceremonies = openParty((store) => ({
      ...store,
      async deleteAll(keyIds) {
        if (isDown) {
          failures += 1;
          throw new Error('the connection was lost');
        }
        await store.deleteAll(keyIds);
      },
    }));
    ceremonies.onOutcomes([destroy(going)]);
    await eventually(() => failures === 1, PATIENCE_MS);
    jest.advanceTimersByTime(MINUTE_MS);
    await eventually(() => failures === 2, PATIENCE_MS);
    expect(await sharesOf(3)).toEqual(shareIds(live, going));
    isDown = false;
    jest.advanceTimersByTime(MINUTE_MS);
    await expectShares(live);
  });

  it('ends with the process', async () => {
    await openIdleParty();
    opened?.stop();
    const keyId = destroyedKey();
    await keepShare(keyId);
    jest.advanceTimersByTime(10 * MINUTE_MS);
    expect(jest.getTimerCount()).toBe(0);
    expect(await sharesOf(3)).toEqual(shareIds(keyId));
  });
});

describe('an entry of the ledger', () => {
  it('that destroys a key deletes its share at once, those of all its runs', async () => {
    const [live, going] = [liveKey(), liveKey()];
    for (const keyId of [live, going]) await keepShare(keyId);
    await keepShare(going, 'a run that did not win');
    const ceremonies = openParty();
    ceremonies.onOutcomes([destroy(going)]);
    await expectShares(live);
  });

  it('that completes a key deletes the shares of its other runs', async () => {
    const other = liveKey();
    const keyId = newKey('ed25519');
    for (const id of [other, keyId]) await keepShare(id);
    for (const session of ['a run that failed', 'a run that was overtaken']) {
      await keepShare(keyId, session);
    }
    // another key's run may have any name
    await keepShare(other, 'a run that failed');
    const ceremonies = openParty();
    const story = { ...keyStory(keyId), session: SESSION };
    for (const party of PARTIES) ceremonies.onOutcomes([ledger.attest(party, keyId, story)]);
    expect(statusOf(keyId)).toBe('active');
    const expected = [...shareIds(other, keyId), `${other}/a run that failed`].toSorted();
    await eventually(
      async () => JSON.stringify(await sharesOf(3)) === JSON.stringify(expected),
      PATIENCE_MS,
    );
  });
});
