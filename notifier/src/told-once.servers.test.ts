/** A notifier that is started again, and webhooks that change while events are on their way, over a real database. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { EMPTY_STATE, webhooksOf, type Webhook } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import pg from 'pg';
import { frozen } from '../../test/support/freeze-outcome.ts';
import { openTestServers, type TestServers } from '../../test/support/test-servers.ts';
import { createDeliveryStore } from './deliveries/delivery-store.js';
import { createAlarmSource } from './events/alarm-source.js';
import { createNotifier } from './notifier.js';

const ALARMS = 25;
/** What is sent at a time. */
const AT_ONCE = 4;

const webhook: Webhook = {
  id: uuidFromHash(sha256('webhook')),
  ...{ displayName: 'one', url: 'https://one.example.com/', enabled: true, version: 1 },
  ...{ events: ['alarm.raised', 'freeze.changed'], createdAt: 1_000, createdBy: 'a' },
  ...{ lastUpdatedAt: 1_000, lastUpdatedBy: 'a' },
};
const stateOf = (one: Webhook) => ({
  ...EMPTY_STATE,
  vaultId: 'v',
  webhooks: insertRow(webhooksOf(EMPTY_STATE), one),
});

let servers: TestServers;
let owner: pg.Pool;
let pool: pg.Pool;

beforeAll(async () => {
  servers = await openTestServers();
  owner = new pg.Pool({ connectionString: servers.ownerUrl, max: 1 });
  pool = new pg.Pool({ connectionString: servers.roleUrls.notifier, max: 4 });
}, 60_000);
afterAll(async () => {
  await Promise.all([owner?.end(), pool?.end()]);
  await servers?.close();
}, 60_000);

function start(state: () => ReturnType<typeof stateOf>, onPost = () => {}) {
  const sent: string[] = [];
  const notifier = createNotifier({
    state,
    store: createDeliveryStore(pool),
    alarms: createAlarmSource(pool, state),
    targets: new Map(),
    keptDays: 30,
    signer: { headersOf: ({ id }) => ({ id }) },
    rules: { isLoopbackAllowed: false },
    resolve: async () => ['93.184.215.14'],
    post: async ({ url }) => {
      sent.push(url);
      onPost();
      return { kind: 'answered', status: 200 };
    },
    mail: async () => ({ kind: 'answered', status: 250 }),
    logger: { warn: () => undefined },
    now: Date.now,
    elapsed: () => performance.now(),
  });
  async function look() {
    await notifier.look();
    await notifier.settled();
  }
  return { notifier, sent, look };
}

it('alarms of long ago, whose deliveries are forgotten, are not told again by a new process', async () => {
  const gateway = new pg.Client({ connectionString: servers.roleUrls.gateway });
  await gateway.connect();
  await gateway.query(
    `INSERT INTO alarm (alarm_id, accuser, kind, at, reason, count, evidence_bytes)
     SELECT gen_random_uuid(), 'gateway', 'forged_result', now(), 'x', 1, 0 FROM generate_series(1, $1)`,
    [ALARMS],
  );
  await gateway.end();
  const first = start(() => stateOf(webhook));
  await first.look();
  expect(first.sent).toHaveLength(ALARMS);
  // two months go by
  await owner.query("UPDATE webhook_delivery SET created_at = now() - interval '60 days'");
  await owner.query('ALTER TABLE alarm DISABLE TRIGGER ALL');
  await owner.query("UPDATE alarm SET written_at = now() - interval '60 days'");
  await owner.query('ALTER TABLE alarm ENABLE TRIGGER ALL');
  const sent = [];
  for (let process = 0; process < 2; process += 1) {
    const again = start(() => stateOf(webhook));
    await again.look();
    sent.push(...again.sent);
  }
  const { rows } = await owner.query('SELECT 1 FROM webhook_delivery');
  expect({ sent, kept: rows }).toEqual({ sent: [], kept: [] });
}, 60_000);

it.each<[string, () => ReturnType<typeof stateOf>, string[]]>([
  ['disabled', () => stateOf({ ...webhook, enabled: false }), []],
  [
    'given another address',
    () => stateOf({ ...webhook, url: 'https://two.example.com/' }),
    ['https://two.example.com/'],
  ],
])(
  'a webhook that is %s while events go out gets no more at the old address',
  async (_how, later, others) => {
    await owner.query('TRUNCATE webhook_delivery, webhook_cursor');
    let state = stateOf(webhook);
    const { notifier, sent, look } = start(
      () => state,
      () => {
        state = later();
      },
    );
    notifier.hear(Array.from({ length: 10 * AT_ONCE }, (_, index) => frozen(index + 1)));
    await look();
    expect(sent.filter((url) => url === webhook.url).length).toBeLessThanOrEqual(AT_ONCE);
    expect([...new Set(sent.filter((url) => url !== webhook.url))]).toEqual(others);
  },
  60_000,
);
