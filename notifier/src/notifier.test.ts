import { describe, expect, it } from '@jest/globals';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { EMPTY_STATE, webhooksOf, type Webhook } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import type { Attempt } from './deliveries/delivery-schedule.js';
import type { Delivery, DeliveryStore, NewDelivery } from './deliveries/delivery-store.js';
import type { EventPost } from './deliveries/post-event.js';
import type { Mailing } from './deliveries/send-mail.js';
import type { AlarmSource } from './events/alarm-source.js';
import { eventsOfOutcome } from './events/ledger-events.js';
import { frozen } from '../../test/support/freeze-outcome.js';
import type { MailTarget } from './formats/mail.js';
import { createNotifier, type NotifierDeps } from './notifier.js';

const WEBHOOK: Webhook = {
  id: 'one',
  displayName: 'one',
  url: 'https://one.example.com/',
  events: ['freeze.changed'],
  enabled: true,
  version: 1,
  createdAt: 1_000,
  createdBy: 'a',
  lastUpdatedAt: 1_000,
  lastUpdatedBy: 'a',
};

/** The rows in memory, as PostgreSQL would hold them. */
function memoryStore() {
  type Row = NewDelivery & Pick<Delivery, 'source'> & { status: string; error: string | null };
  const rows = new Map<string, Row>();
  const positions = new Map<string, number>();
  /** Days of each sweep. */
  const sweeps: number[] = [];
  const store: DeliveryStore = {
    readPosition: async (source) => positions.get(source) ?? 0,
    async add(source, position, added) {
      for (const row of added) {
        const key = `${row.webhook_id} ${row.event_id}`;
        if (!rows.has(key)) rows.set(key, { ...row, source, status: 'pending', error: null });
      }
      positions.set(source, Math.max(position, positions.get(source) ?? 0));
    },
    takeResends: async () => undefined,
    findDue: async () => [
      ...new Set(
        [...rows.values()]
          .filter(({ status }) => status === 'pending')
          .map((row) => row.webhook_id),
      ),
    ],
    async claim(webhookId, limit) {
      const due = [...rows.values()].filter(
        (row) => row.webhook_id === webhookId && row.status === 'pending',
      );
      return due.slice(0, limit).map((row): Delivery => {
        row.status = 'leased';
        return {
          webhookId,
          eventId: row.event_id,
          source: row.source,
          sourceSeq: row.source_seq,
          attempts: 0,
        };
      });
    },
    async settle({ webhookId, eventId }, { status, error }) {
      Object.assign(rows.get(`${webhookId} ${eventId}`)!, {
        status: status === 'pending' ? 'later' : status,
        error,
      });
    },
    async forget(days) {
      sweeps.push(days);
      return sweeps.length === 1 ? 1 : 0;
    },
    async abandon(webhookId, reason) {
      for (const row of rows.values()) {
        if (row.webhook_id === webhookId) Object.assign(row, { status: 'failed', error: reason });
      }
    },
  };
  return {
    store,
    rows,
    positions,
    sweeps,
    statuses: () => [...rows.values()].map(({ status }) => status),
  };
}

const NO_ALARMS: AlarmSource = {
  findNew: async () => [],
  keep: () => undefined,
  find: async () => undefined,
};

function scene(
  webhooks: readonly Webhook[],
  post?: (post: EventPost) => Promise<Attempt>,
  alarms = NO_ALARMS,
) {
  const memory = memoryStore();
  const posts: EventPost[] = [];
  const mailings: Mailing[] = [];
  let table = webhooksOf(EMPTY_STATE);
  for (const webhook of webhooks) table = insertRow(table, webhook);
  const state = { ...EMPTY_STATE, vaultId: 'v', webhooks: table };
  const clock = { now: 3_000 };
  const notifierOf = (more: Partial<NotifierDeps> = {}) =>
    createNotifier({
      keptDays: 7,
      state: () => state,
      store: memory.store,
      alarms,
      signer: { headersOf: ({ id }) => ({ id }) },
      targets: new Map(),
      ...more,
      rules: { isLoopbackAllowed: false },
      resolve: async (host) => [host.startsWith('rebound') ? '10.0.0.1' : '93.184.215.14'],
      post: async (one) => {
        posts.push(one);
        return post === undefined ? { kind: 'answered', status: 200 } : post(one);
      },
      mail: async (one) => {
        mailings.push(one);
        return { kind: 'answered', status: 250 };
      },
      logger: { warn: () => undefined },
      now: () => clock.now,
      elapsed: () => clock.now,
    });
  return { ...memory, posts, mailings, clock, notifierOf };
}

describe('the notifier', () => {
  it('links an event of a request to the console', async () => {
    const { posts, notifierOf } = scene([WEBHOOK]);
    const notifier = notifierOf({ consoleUrl: 'https://vault.example.com/console/' });
    notifier.hear([frozen(7)]);
    await notifier.look();
    await notifier.settled();
    expect(JSON.parse(posts[0]!.body)).toMatchObject({
      data: { link: 'https://vault.example.com/console/requests/request%207' },
    });
  });

  it('speaks to a service in its own form, at the host that the ledger names, unsigned', async () => {
    const { posts, notifierOf } = scene([{ ...WEBHOOK, url: 'https://hooks.slack.com/' }]);
    const path = '/services/T0/B0/secret';
    const notifier = notifierOf({ targets: new Map([['one', { format: 'slack', path }]]) });
    notifier.hear([frozen(7)]);
    await notifier.look();
    await notifier.settled();
    expect(posts).toEqual([
      {
        url: `https://hooks.slack.com${path}`,
        address: '93.184.215.14',
        headers: { 'content-type': 'application/json', 'user-agent': 'countersign' },
        body: JSON.stringify({
          text: 'Countersign, vault v: Somebody did "freeze keys".',
          unfurl_links: false,
          unfurl_media: false,
        }),
      },
    ]);
  });

  it.each([
    'https://hooks.slack.com.evil.example/',
    'https://evil.example/hooks.slack.com/',
    'https://hooks.slack.com:8443/',
    'https://api.telegram.org/',
  ])('sends no secret of Slack to a webhook that somebody moved to %s', async (url) => {
    const { posts, notifierOf } = scene([{ ...WEBHOOK, url }]);
    const path = '/services/T0/B0/secret';
    const notifier = notifierOf({ targets: new Map([['one', { format: 'slack', path }]]) });
    notifier.hear([frozen(7)]);
    await notifier.look();
    await notifier.settled();
    expect(posts).toEqual([]);
  });

  it('hands a letter to the mail server that file and ledger both name, and to no other', async () => {
    const target: MailTarget = {
      format: 'mail',
      host: 'smtp.example.com',
      port: 465,
      tls: 'implicit',
      user: 'u',
      password: 'secret',
      from: 'vault@example.com',
      to: ['ada@example.com'],
    };
    const mailed = async (url: string) => {
      const { mailings, posts, notifierOf } = scene([{ ...WEBHOOK, url }]);
      const notifier = notifierOf({ targets: new Map([['one', target]]) });
      notifier.hear([frozen(7)]);
      await notifier.look();
      await notifier.settled();
      expect(posts).toEqual([]);
      return mailings;
    };
    expect(await mailed('https://smtp.example.com/')).toMatchObject([
      { ...target, address: '93.184.215.14', subject: expect.stringContaining('freeze keys') },
    ]);
    expect(await mailed('https://smtp.example.com.evil.example/')).toEqual([]);
    expect(await mailed('https://rebound.example.com/')).toEqual([]);
  });

  it('takes away what is old until nothing is, and again an hour later', async () => {
    const { sweeps, clock, notifierOf } = scene([WEBHOOK]);
    const notifier = notifierOf();
    await notifier.look();
    expect(sweeps).toEqual([7, 7]);
    clock.now += 3_599_999;
    await notifier.look();
    expect(sweeps).toHaveLength(2);
    clock.now += 1;
    await notifier.look();
    expect(sweeps).toEqual([7, 7, 7]);
  });

  it('sends an event to whoever wants it, and once', async () => {
    const others = [
      { ...WEBHOOK, id: 'later', createdAt: 2_001 },
      { ...WEBHOOK, id: 'off', enabled: false },
      { ...WEBHOOK, id: 'other', events: ['alarm.raised'] as const },
    ];
    const { posts, statuses, notifierOf } = scene([WEBHOOK, ...others]);
    const notifier = notifierOf();
    notifier.hear([frozen(7)]);
    await notifier.look();
    await notifier.look();
    await notifier.settled();
    expect(statuses()).toEqual(['delivered']);
    expect(posts).toMatchObject([{ url: WEBHOOK.url, address: '93.184.215.14' }]);
    expect(JSON.parse(posts[0]!.body)).toEqual({
      id: posts[0]!.headers['id'],
      type: 'freeze.changed',
      contract_version: 1,
      vault_id: 'v',
      at: '1970-01-01T00:00:02.000Z',
      data: {
        request_id: 'request 7',
        operation: 'freeze-keys',
        by: 'somebody',
        status: 'frozen',
        resource: { type: 'key', ids: ['k'] },
      },
    });
  });

  it('sends nothing again after a restart, and what it had not written down', async () => {
    const { posts, notifierOf } = scene([WEBHOOK]);
    const first = notifierOf();
    first.hear([frozen(7)]);
    await first.look();
    await first.settled();
    const second = notifierOf();
    second.hear([frozen(7), frozen(8)]);
    await second.look();
    await second.settled();
    const requests = posts.map(({ body }) => (JSON.parse(body) as { data: object }).data);
    expect(requests).toMatchObject([{ request_id: 'request 7' }, { request_id: 'request 8' }]);
  });

  it('loses nothing that it hears while it writes down', async () => {
    const { store, rows, notifierOf } = scene([WEBHOOK]);
    const add = store.add.bind(store);
    const notifier = notifierOf();
    let isFirst = true;
    store.add = async (...args) => {
      if (isFirst) notifier.hear([frozen(8)]);
      isFirst = false;
      await add(...args);
    };
    notifier.hear([frozen(7)]);
    await notifier.look();
    await notifier.look();
    await notifier.settled();
    expect([...rows.values()].map((row) => row.source_seq)).toEqual([7, 8]);
  });

  it('writes down nothing as taken that it could not write down', async () => {
    const { store, positions, rows, notifierOf } = scene([WEBHOOK]);
    const add = store.add.bind(store);
    store.add = async () => {
      throw new Error('the database is away');
    };
    const notifier = notifierOf();
    notifier.hear([frozen(7)]);
    await expect(notifier.look()).rejects.toThrow('away');
    expect(positions.get('ledger')).toBeUndefined();
    store.add = add;
    await notifier.look();
    await notifier.settled();
    expect(rows.size).toBe(1);
  });

  it('lets an endpoint that does not answer hold up no other', async () => {
    let release = () => undefined as void;
    const held = new Promise<Attempt>((resolve) => {
      release = () => resolve({ kind: 'unanswered', reason: 'slow' });
    });
    const slow = { ...WEBHOOK, id: 'slow', url: 'https://slow.example.com/' };
    const { rows, notifierOf } = scene([slow, WEBHOOK], async ({ url }) =>
      url === slow.url ? held : { kind: 'answered', status: 200 },
    );
    const notifier = notifierOf();
    notifier.hear(Array.from({ length: 9 }, (_, index) => frozen(index + 1)));
    await notifier.look();
    const of = (id: string) => [...rows.values()].filter((row) => row.webhook_id === id);
    while (of('one').some(({ status }) => status !== 'delivered')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    // four attempts at once, and no more
    expect(of('slow').filter(({ status }) => status === 'leased')).toHaveLength(4);
    release();
    await notifier.settled();
    expect(of('slow').every(({ status }) => status === 'later')).toBe(true);
  });

  it('connects nowhere for a name that has come to be private', async () => {
    const rebound = { ...WEBHOOK, url: 'https://rebound.example.com/' };
    const { posts, rows, notifierOf } = scene([rebound]);
    const notifier = notifierOf();
    notifier.hear([frozen(7)]);
    await notifier.look();
    await notifier.settled();
    expect(posts).toEqual([]);
    expect([...rows.values()]).toMatchObject([
      { status: 'failed', error: 'the name has a private or special address' },
    ]);
  });

  it('signs nothing that only the database says happened', async () => {
    const { store, posts, statuses, notifierOf } = scene([WEBHOOK]);
    const notifier = notifierOf();
    notifier.hear([frozen(7)]);
    const [known] = eventsOfOutcome(frozen(7));
    const forged = { webhook_id: 'one', event_type: 'freeze.changed', source_seq: 7 };
    await store.add('ledger', 7, [{ ...forged, event_id: 'forged' }]);
    await notifier.look();
    await notifier.settled();
    expect(known!.id).not.toBe('forged');
    expect(posts).toEqual([]);
    expect(statuses()).toEqual(['failed']);
  });

  it('takes no alarm for another one, whatever a row says', async () => {
    const [event] = eventsOfOutcome(frozen(7));
    const alarms = { ...NO_ALARMS, find: async () => event };
    const { store, posts, rows, notifierOf } = scene([WEBHOOK], undefined, alarms);
    const row = { webhook_id: 'one', event_type: 'alarm.raised', source_seq: 1 };
    await store.add('alarm', 1, [
      { ...row, event_id: 'another' },
      { ...row, event_id: event!.id },
    ]);
    const notifier = notifierOf();
    await notifier.look();
    await notifier.settled();
    expect(posts.map(({ headers }) => headers['id'])).toEqual([event!.id]);
    expect(rows.get('one another')).toMatchObject({ status: 'failed', error: 'no such event' });
  });

  it('gives up what waits for a webhook that is deleted', async () => {
    const { store, rows, notifierOf } = scene([]);
    await store.add('ledger', 0, [
      { webhook_id: 'gone', event_id: 'e', event_type: 'freeze.changed', source_seq: 1 },
    ]);
    await notifierOf().look();
    expect([...rows.values()]).toMatchObject([
      { status: 'failed', error: 'the webhook is deleted' },
    ]);
  });
});

describe('events of an entry', () => {
  it('have ids that follow from the entry, each its own', () => {
    const ids = [...eventsOfOutcome(frozen(7)), ...eventsOfOutcome(frozen(8))].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(eventsOfOutcome(frozen(7)).map(({ id }) => id)).toEqual(ids.slice(0, ids.length / 2));
  });

  it('say that a refused change failed, and not that anything changed', () => {
    const refusal = { refused: 'forbidden', message: 'a secret text' } as EntryOutcome['refusal'];
    const events = eventsOfOutcome({ ...frozen(7), refusal, subject: undefined });
    expect(events).toMatchObject([{ type: 'request.failed', data: { err_type: 'forbidden' } }]);
    expect(JSON.stringify(events)).not.toContain('secret text');
  });

  it('say nothing of what nobody known asked for', () => {
    const refusal = { refused: 'unauthorized', message: '' } as EntryOutcome['refusal'];
    const stranger = { ...frozen(7), actorId: undefined, requestId: undefined };
    expect(eventsOfOutcome({ ...stranger, refusal })).toEqual([]);
  });

  it.each([
    ['generating', 'active', ['key.created']],
    ['importing', 'failed', ['key.failed']],
    ['active', 'disabled', []],
    ['disabled', 'active', []],
  ])('of a key that was %s and is %s are %j', (from, to, types) => {
    const change = { table: 'keys', id: 'k', kind: 'changed', fields: { status: { from, to } } };
    const attested = {
      ...frozen(9),
      kind: 'attestation',
      operation: undefined,
      requestId: undefined,
      changes: [change],
    } as unknown as EntryOutcome;
    expect(eventsOfOutcome(attested).map(({ type }) => type)).toEqual(types);
  });
});
