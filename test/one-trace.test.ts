/** One request over gateway and parties, as a collector sees it: it is one tree, and tells nothing but where time went. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGateway, startSigner } from '../infra/dev/dist/stack/open-stack.js';
import type { RawClient } from '../client/dist/calls/raw-client.js';
import { openSpanReceiver, type ReceivedSpan, type SpanReceiver } from './support/span-receiver.ts';
import {
  eventually,
  openTestVault,
  PATIENT,
  type TestVault,
  type TestWallet,
} from './support/test-vault.ts';

let receiver: SpanReceiver;
let vault: TestVault;
let wallet: TestWallet;

beforeAll(async () => {
  receiver = await openSpanReceiver();
  vault = await openTestVault({ tracesTo: receiver.url });
  wallet = await vault.createWallet();
}, 120_000);

afterAll(async () => {
  await vault?.close();
  await receiver?.close();
});

const CANARY = 'canary-message-of-a-desk';

function sign(client: RawClient, headers: Record<string, string> = {}) {
  return client.send({
    method: 'POST',
    target: `${wallet.path}/raw-sign`,
    body: { message: Buffer.from(CANARY + randomBytes(8).toString('hex')).toString('base64') },
    headers: { ...PATIENT, ...headers },
  });
}

const ofRequest = (id: unknown) =>
  receiver.spans.filter((span) => span.attributes['countersign.request_id'] === id);

/** Its spans, once all three processes have sent theirs. */
function spansOf(id: unknown): Promise<ReceivedSpan[]> {
  return eventually(() => {
    const spans = ofRequest(id);
    const services = new Set(spans.map(({ service }) => service));
    return services.size === 3 && spans;
  });
}

describe('a signed request', () => {
  it('is one tree of spans over the gateway and two parties', async () => {
    const { status, headers } = await sign(vault.admin);
    expect(status).toBe(200);
    const spans = await spansOf(headers['x-request-id']);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(roots).toMatchObject([{ name: 'request', service: 'countersign-gateway' }]);

    const below = (parent: ReceivedSpan) =>
      spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
    const [root] = roots;
    const parts = below(root!).filter(({ name }) => name === 'partner' || name === 'lead');
    expect(parts.map(({ name }) => name).toSorted()).toEqual(['lead', 'partner']);
    expect(new Set(parts.map(({ service }) => service)).size).toBe(2);
    const stagesOf = (parent: ReceivedSpan) =>
      below(parent)
        .filter((span) => !parts.includes(span))
        .map(({ name }) => name);
    expect(stagesOf(root!)).toEqual(['auth', 'policy', 'queue', 'sign', 'answer']);
    const [lead, partner] = parts.toSorted((one, other) => one.name.localeCompare(other.name));
    expect(stagesOf(lead!)).toEqual(['partner', 'policy', 'sign', 'record', 'answer']);
    expect(stagesOf(partner!)).toEqual(['policy', 'sign', 'record', 'answer']);
    for (const { from, until } of spans) expect(until).toBeGreaterThanOrEqual(from);
  });

  it('tells a collector request id, action and stage alone', async () => {
    const { headers } = await sign(vault.admin);
    const spans = await spansOf(headers['x-request-id']);
    const known = ['countersign.action', 'countersign.request_id', 'countersign.stage'];
    for (const { attributes } of spans) {
      expect(known).toEqual(expect.arrayContaining(Object.keys(attributes)));
      expect(attributes['countersign.action']).toBe('raw-sign');
    }
    const sent = receiver.texts.join('\n');
    const { apiKey } = vault.adminCredential;
    const kept = [wallet.address, wallet.vaultId, wallet.keyId, vault.adminId, apiKey, CANARY];
    const encoded = [...kept, Buffer.from(CANARY).toString('base64').slice(0, 24)];
    expect(encoded.filter((text) => sent.includes(text))).toEqual([]);
  });

  it('is drawn under the span that its caller names', async () => {
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    const { headers } = await sign(vault.admin, { traceparent: `00-${traceId}-${spanId}-01` });
    const spans = await spansOf(headers['x-request-id']);
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(spans.find(({ name }) => name === 'request')?.parentSpanId).toBe(spanId);
  });

  it.each(['nonsense', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, 'f'.repeat(4_000)])(
    'is signed and drawn by itself when its caller names no span: %j',
    async (traceparent) => {
      const { status, headers } = await sign(vault.admin, { traceparent });
      expect(status).toBe(200);
      const spans = await spansOf(headers['x-request-id']);
      expect(spans.find(({ name }) => name === 'request')?.parentSpanId).toBeUndefined();
    },
  );

  it('of nobody is not drawn, and has no times', async () => {
    const traceId = randomBytes(16).toString('hex');
    const stranger = vault.clientFor({ ...vault.adminCredential, apiKey: crypto.randomUUID() });
    const traceparent = `00-${traceId}-${'1'.repeat(16)}-01`;
    const refused = await sign(stranger, { traceparent });
    expect(refused).toMatchObject({ status: 401 });
    expect(refused.headers).not.toHaveProperty('server-timing');
    const { headers } = await sign(vault.admin);
    await spansOf(headers['x-request-id']); // what was noted before is here by now
    expect(receiver.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  it('tells its caller where the time went, in whole milliseconds', async () => {
    const { headers } = await sign(vault.admin);
    expect(headers['server-timing']).toMatch(
      /^auth;dur=\d+, queue;dur=\d+, sign;dur=\d+, answer;dur=\d+$/,
    );
  });

  it('tells no times when it is refused', async () => {
    const other = await vault.createMachine();
    const refused = await sign(other.client);
    expect(refused.status).toBe(403);
    expect(refused.headers).not.toHaveProperty('server-timing');
  });
});

/** Has a process say each module of OpenTelemetry that it loads. */
const TELLING = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.includes('opentelemetry')) console.error('LOADS ' + specifier);
      return next(specifier, context);
    },
  });
`)}`;

it.each([
  ['without a collector no process loads', 'b', false],
  ['with one every process loads', 'c', true],
])(
  '%s OpenTelemetry',
  async (_which, replica, isLoaded) => {
    const execArgv = ['--import', TELLING];
    const options = { ...vault.options, execArgv, tracesTo: isLoaded ? receiver.url : undefined };
    const started = await Promise.all([startGateway(options, 0), startSigner(options, 1, replica)]);
    await Promise.all(started.map((each) => each.stop()));
    const told = started.map((each) => each.output().includes('LOADS @opentelemetry'));
    expect(told).toEqual([isLoaded, isLoaded]);
  },
  60_000,
);
