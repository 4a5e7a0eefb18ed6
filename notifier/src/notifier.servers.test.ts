/** Notifiers over the rows of one database: two beside each other, and one after another. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { EMPTY_STATE, webhooksOf, type Webhook } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import pg from 'pg';
import { frozen } from '../../test/support/freeze-outcome.js';
import { openTestServers, type TestServers } from '../../test/support/test-servers.js';
import type { Attempt } from './deliveries/delivery-schedule.js';
import { createDeliveryStore } from './deliveries/delivery-store.js';
import type { EventPost } from './deliveries/post-event.js';
import { createAlarmSource } from './events/alarm-source.js';
import { createNotifier, type Notifier } from './notifier.js';

const EVENTS = 40;
/** What is sent at a time. */
const AT_ONCE = 4;
const DELIVERED: Attempt = { kind: 'answered', status: 200 };
const stamps = { createdAt: 1_000, createdBy: 'a', lastUpdatedAt: 1_000, lastUpdatedBy: 'a' };
const webhook: Webhook = {
  id: uuidFromHash(sha256('webhook')),
  displayName: 'one',
  url: 'https://one.example.com/',
  events: ['alarm.raised', 'freeze.changed'],
  enabled: true,
  version: 1,
  ...stamps,
};
const stateOf = (one: Webhook) => ({
  ...EMPTY_STATE,
  vaultId: 'v',
  webhooks: insertRow(webhooksOf(EMPTY_STATE), one),
});
const outcomes = Array.from({ length: EVENTS }, (_, index) => frozen(index + 1));

let servers: TestServers;
let owner: pg.Pool;
let pool: pg.Pool;

beforeAll(async () => {
  servers = await openTestServers();
  owner = new pg.Pool({ connectionString: servers.ownerUrl, max: 1 });
  pool = new pg.Pool({ connectionString: servers.roleUrls.notifier, max: 4 });
}, 60_000);
beforeEach(() => owner.query('TRUNCATE webhook_delivery, webhook_cursor'));
afterAll(async () => {
  await Promise.all([owner?.end(), pool?.end()]);
  await servers?.close();
}, 60_000);

/** It has heard of every event; `sent` has the ids of those that it posted. `state`: as it has folded it by now. */
function openNotifier(
  post: (one: EventPost) => Promise<Attempt> = async () => DELIVERED,
  state = () => stateOf(webhook),
) {
  const sent: string[] = [];
  const notifier = createNotifier({
    targets: new Map(),
    state,
    store: createDeliveryStore(pool),
    alarms: createAlarmSource(pool, state),
    keptDays: 30,
    signer: { headersOf: ({ id }) => ({ id }) },
    rules: { isLoopbackAllowed: false },
    resolve: async () => ['93.184.215.14'],
    post: async (one) => {
      sent.push(one.headers['id']!);
      return post(one);
    },
    mail: async () => DELIVERED,
    logger: { warn: () => undefined },
    now: () => 3_000,
    elapsed: () => 3_000,
  });
  notifier.hear(outcomes);
  return { notifier, sent };
}

async function look(...notifiers: Notifier[]): Promise<void> {
  await Promise.all(notifiers.map((notifier) => notifier.look()));
  await Promise.all(notifiers.map((notifier) => notifier.settled()));
}

const statuses = async () => {
  const { rows } = await owner.query<{ status: string; count: string }>(
    'SELECT status, count(*) FROM webhook_delivery GROUP BY status',
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
};

describe('two notifiers of one vault', () => {
  it('send each event once, whichever of them takes it', async () => {
    const one = openNotifier();
    const other = openNotifier();
    await look(one.notifier, other.notifier);
    const sent = [...one.sent, ...other.sent];
    expect([sent.length, new Set(sent).size]).toEqual([EVENTS, EVENTS]);
    expect(await statuses()).toEqual({ delivered: EVENTS });
  });

  it('lose none with one that is gone: the other sends what it had taken, when its lease is over', async () => {
    let tellHeld = () => {};
    const held = new Promise<void>((resolve) => (tellHeld = resolve));
    const killed = openNotifier(() => {
      if (killed.sent.length === 4) tellHeld();
      return new Promise(() => undefined); // nothing of it comes back
    });
    await killed.notifier.look();
    await held;
    const other = openNotifier();
    await look(other.notifier);
    expect(other.sent).toHaveLength(EVENTS - 4);
    expect(other.sent.filter((id) => killed.sent.includes(id))).toEqual([]);
    expect(await statuses()).toEqual({ delivered: EVENTS - 4, pending: 4 });

    await owner.query('UPDATE webhook_delivery SET lease_until = now() WHERE lease_until > now()');
    await look(other.notifier);
    // at least once: the receiver may have had these four before
    expect(other.sent.slice(-4).toSorted()).toEqual(killed.sent.toSorted());
    expect(await statuses()).toEqual({ delivered: EVENTS });
  });
});

describe('what became of an event', () => {
  const age = (days: number, where = 'true') =>
    owner.query(
      `UPDATE webhook_delivery SET created_at = now() - $1 * interval '1 day' WHERE ${where}`,
      [days],
    );

  it('is taken away when it is old, and not while it waits', async () => {
    await look(openNotifier().notifier);
    const store = createDeliveryStore(pool);
    await age(30.1, 'seq % 2 = 0');
    await owner.query(
      `UPDATE webhook_delivery SET status = 'pending' WHERE event_id IN (
         SELECT event_id FROM webhook_delivery WHERE created_at < now() - interval '1 day' LIMIT 3)`,
    );
    expect(await store.forget(31)).toBe(0);
    expect(await store.forget(30)).toBe(EVENTS / 2 - 3);
    expect(await store.forget(30)).toBe(0);
    expect(await statuses()).toEqual({ delivered: EVENTS / 2, pending: 3 });
  });

  it('is not written down anew once it is gone', async () => {
    await look(openNotifier().notifier);
    await age(31);
    const again = openNotifier();
    await look(again.notifier);
    await look(again.notifier);
    expect(again.sent).toEqual([]);
    expect(await statuses()).toEqual({});
  });
});

/** Two months go by. */
async function age(): Promise<void> {
  await owner.query("UPDATE webhook_delivery SET created_at = now() - interval '60 days'");
  await owner.query('ALTER TABLE alarm DISABLE TRIGGER ALL');
  await owner.query("UPDATE alarm SET written_at = now() - interval '60 days'");
  await owner.query('ALTER TABLE alarm ENABLE TRIGGER ALL');
}

it('alarms of long ago, whose deliveries are forgotten, are not told again by a new process', async () => {
  const gateway = new pg.Client({ connectionString: servers.roleUrls.gateway });
  await gateway.connect();
  await gateway.query(
    `INSERT INTO alarm (alarm_id, accuser, kind, at, reason, count, evidence_bytes)
     SELECT gen_random_uuid(), 'gateway', 'forged_result', now(), 'x', 1, 0 FROM generate_series(1, 25)`,
  );
  await gateway.end();
  const first = openNotifier();
  await look(first.notifier);
  expect(first.sent).toHaveLength(EVENTS + 25);
  await age();
  const later = [];
  for (let start = 0; start < 2; start += 1) {
    const { notifier, sent } = openNotifier();
    await look(notifier);
    later.push(...sent);
  }
  const { rows } = await owner.query('SELECT 1 FROM webhook_delivery');
  expect({ later, kept: rows }).toEqual({ later: [], kept: [] });
}, 60_000);

it.each<[string, Partial<Webhook>, string[]]>([
  ['disabled', { enabled: false }, []],
  ['given another address', { url: 'https://two.example.com/' }, ['https://two.example.com/']],
])(
  'a webhook that is %s while events go out gets no more at the old address',
  async (_how, change, others) => {
    let state = stateOf(webhook);
    const urls: string[] = [];
    const post = async ({ url }: EventPost) => {
      urls.push(url);
      state = stateOf({ ...webhook, ...change });
      return DELIVERED;
    };
    await look(openNotifier(post, () => state).notifier);
    const [old, rest] = [true, false].map((isOld) =>
      urls.filter((url) => (url === webhook.url) === isOld),
    );
    expect(old!.length).toBeLessThanOrEqual(AT_ONCE);
    expect([...new Set(rest)]).toEqual(others);
  },
  60_000,
);
