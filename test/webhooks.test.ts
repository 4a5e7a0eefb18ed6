/** What a receiver of events gets from a running vault, checked as docs/reference/events.md says. */
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectRefusal, type Page } from './support/api.ts';
import { query } from './support/signing-load.ts';
import { eventually, expectOk, openTestVault, type TestVault } from './support/test-vault.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

interface Delivery {
  readonly event_id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempts: number;
  readonly response_status: number | null;
}

type VerifyEvent = (headers: IncomingHttpHeaders, body: Buffer, keys: unknown) => Event;

let vault: TestVault;
let receiver: Server;
let url: string;
let verifyEvent: VerifyEvent;
let keys: unknown;
const received: Received[] = [];
/** What the receiver answers next; 204 when there is nothing more. */
const answers: number[] = [];

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    received.push({ headers: request.headers, body });
    response.writeHead(answers.shift() ?? 204, { location: `${url}elsewhere` }).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  vault = await openTestVault({ hasNotifier: true });
  verifyEvent = await exampleOf('docs/reference/events.md');
  keys = await (await fetch(`${vault.baseUrl}/.well-known/countersign-webhook-keys.json`)).json();
}, 60_000);
afterAll(async () => {
  await vault?.close();
  receiver?.close();
}, 60_000);

/** The program in the document, as it stands there. */
async function exampleOf(file: string): Promise<VerifyEvent> {
  const [, program] = /```js\n([^`]*(?:`(?!``)[^`]*)*)```/.exec(readFileSync(file, 'utf8'))!;
  const path = join(vault.servers.home, 'verify-event.mjs');
  writeFileSync(path, program!);
  const module = (await import(path)) as { verifyEvent: VerifyEvent };
  rmSync(path);
  return module.verifyEvent;
}

const post = <Body>(target: string, body?: unknown) =>
  expectOk<Body>(vault.admin, 'POST', target, body);
const register = (events: string[], to = url) =>
  post<{ id: string; version: number }>('/v1/webhooks', { display_name: 'x', url: to, events });
const deliveriesOf = async (id: string) =>
  (await expectOk<Page<Delivery>>(vault.admin, 'GET', `/v1/webhooks/${id}/deliveries`)).results;
const freeze = (userId: string) => post(`/v1/users/freeze?user_ids=${userId}`);

/** What came since, checked. */
async function nextEvents(count: number): Promise<Event[]> {
  await eventually(async () => received.length >= count);
  return received.splice(0).map(({ headers, body }) => verifyEvent(headers, body, keys));
}

describe('a webhook', () => {
  it('tells of a freeze, signed; of it again when asked; and of nothing after it is deleted', async () => {
    const { id } = await register(['freeze.changed']);
    const bot = await vault.createMachine();
    await freeze(bot.id);
    const [event, ...more] = await nextEvents(1);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'freeze.changed',
      data: { status: 'frozen', resource: { ids: [bot.id] }, by: vault.adminId },
    });
    const [delivery] = await eventually(async () => {
      const found = await deliveriesOf(id);
      return found[0]?.status === 'delivered' && found;
    });
    expect(delivery).toMatchObject({ event_id: event!.id, attempts: 1, response_status: 204 });

    await post(`/v1/users/unfreeze?user_ids=${bot.id}`);
    const [second] = await nextEvents(1);
    expect(second!.id).not.toBe(event!.id);
    const resend = `/v1/webhooks/${id}/resend`;
    expect(await post(resend, { event_id: event!.id })).toEqual({ deliveries: 1 });
    expect((await nextEvents(1)).map((one) => one.id)).toEqual([event!.id]);
    expect(await post(resend, { after_event_id: event!.id })).toEqual({ deliveries: 1 });
    expect((await nextEvents(1)).map((one) => one.id)).toEqual([second!.id]);
    await expectRefusal('resource_not_found', vault.admin, 'POST', resend, { event_id: id });

    await expectOk(vault.admin, 'DELETE', `/v1/webhooks/${id}`);
    await expectRefusal('resource_not_found', vault.admin, 'GET', `/v1/webhooks/${id}/deliveries`);
  });

  it('tells of keys, policies, webhooks and alarms', async () => {
    const types = ['key.created', 'policy.changed', 'webhook.changed', 'alarm.raised'];
    const { id } = await register(types);
    await post('/v1/keys', { type: 'ed25519', display_name: 'k' });
    await post('/v1/user-groups', { display_name: 'a group' });
    await query(
      vault.servers.roleUrls.gateway,
      `INSERT INTO alarm (alarm_id, accuser, kind, at, reason, count, evidence_bytes)
       VALUES (gen_random_uuid(), 'gateway', 'forged_job', now(), 'a private text', 1, 0)`,
    );
    const events = await nextEvents(4);
    expect(events.map(({ type }) => type).toSorted()).toEqual(types.toSorted());
    expect(JSON.stringify(events)).not.toContain('a private text');
    const body = { version: 1, enabled: false };
    await expectOk(vault.admin, 'PUT', `/v1/webhooks/${id}`, body);
    await expectRefusal('resource_conflict', vault.admin, 'PUT', `/v1/webhooks/${id}`, body);
  });

  it('is tried again after a 500, under one id and with a new time; never after a redirect', async () => {
    const { id } = await register(['freeze.changed']);
    const bot = await vault.createMachine();
    answers.push(500, 302);
    await freeze(bot.id);
    const attempts = await eventually(async () => received.length >= 2 && received.splice(0));
    const [first, second] = attempts.map(({ headers, body }) => verifyEvent(headers, body, keys));
    expect(second).toEqual(first);
    const [before, after] = attempts.map(({ headers }) => headers['x-countersign-timestamp']);
    expect(after).not.toBe(before);
    const [delivery] = await eventually(async () => {
      const found = await deliveriesOf(id);
      return found[0]?.status === 'failed' && found;
    });
    expect(delivery).toMatchObject({ attempts: 2, response_status: 302 });
    await expectOk(vault.admin, 'DELETE', `/v1/webhooks/${id}`);
  });

  it('is not registered for a private host', async () => {
    const body = { display_name: 'x', events: ['freeze.changed'] };
    for (const to of ['https://169.254.169.254/', 'https://localhost/', 'http://example.com/']) {
      await expectRefusal('invalid_inputs', vault.admin, 'POST', '/v1/webhooks', {
        ...body,
        url: to,
      });
    }
  });
});

describe('a receiver', () => {
  it('believes nothing that is forged, moved to another event, or old', async () => {
    await register(['freeze.changed']);
    await freeze((await vault.createMachine()).id);
    const [{ headers, body }] = await eventually(
      async () => received.length > 0 && (received.splice(0) as [Received]),
    );
    const event = verifyEvent(headers, body, keys);
    const forged = Buffer.from(body.toString('utf8').replace('frozen', 'active'));
    expect(() => verifyEvent(headers, forged, keys)).toThrow('forged');
    const moved = { ...headers, 'x-countersign-event-id': event.id.replace(/^./, 'x') };
    expect(() => verifyEvent(moved, body, keys)).toThrow('forged');
    const old = { ...headers, 'x-countersign-timestamp': String(Date.now() - 301_000) };
    expect(() => verifyEvent(old, body, keys)).toThrow('stale');
    const stranger = { ...headers, 'x-countersign-signature-key-id': 'other' };
    expect(() => verifyEvent(stranger, body, keys)).toThrow('unknown key');
  });
});
