/** What holds of the form of every operation's request, whatever the operation: made from the registries. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseQuery } from '@countersign/api/query-string.js';
import { isRefusal } from '@countersign/core/errors.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import type * as s from '@countersign/core/shapes.js';
import { exportAuditLogsQuery } from '@countersign/api/audit-query.js';
import { createBacktestRoute } from '../read/backtest-route.js';
import { evaluateRoute } from '../read/evaluate-route.js';
import { resendEvents } from '../read/webhook-deliveries.js';
import { READ_OPERATIONS } from '../read-operations.js';
import { appTraffic } from '../../../test/support/app-traffic.ts';
import { createApp, type AppDeps } from '../create-app.js';
import { createFastServer } from './fast-server.js';
import { SERVICE_ROUTES } from '../watch/service-routes.js';

const EXPORT = {
  id: 'export-audit-logs',
  method: 'GET',
  path: '/v1/audit-logs/export',
  query: exportAuditLogsQuery,
} as const;

const OPERATIONS = [
  ...LEDGER_OPERATIONS,
  ...SIGNING_OPERATIONS,
  ...READ_OPERATIONS,
  evaluateRoute,
  createBacktestRoute(),
  resendEvents,
  EXPORT,
];

/** Parameters whose value is the caller's own text. `cursor` is checked where the list is known. */
const FREE_TEXT = ['cursor', 'display_name_like', 'email_contains', 'network_family'];
/** Parameters that take any well-formed word or address: what names nothing finds nothing. */
const OPEN_WORDS = ['addresses', 'venue_id', 'venue_ids', 'wallet_addresses'];

interface Parameter {
  readonly operation: (typeof OPERATIONS)[number];
  readonly name: string;
}

const PARAMETERS: readonly Parameter[] = OPERATIONS.flatMap((operation) =>
  Object.keys((operation.query as s.ObjectShape<Record<string, s.AnyShape>>).fields).map(
    (name) => ({ operation, name }),
  ),
);

/** The refusal's type, or that there was none. */
function typeOf({ operation, name }: Parameter, value: string): string {
  const query = parseQuery(operation.query as s.AnyShape, `${name}=${encodeURIComponent(value)}`);
  return isRefusal(query) ? query.refused : 'accepted';
}

const titled = (parameters: readonly Parameter[]) =>
  parameters.map((row) => [row.operation.id, row.name, row] as const);

describe('a value of a query', () => {
  const checked = PARAMETERS.filter(({ name }) => !FREE_TEXT.includes(name));
  const isOpen = ({ operation, name }: Parameter) =>
    OPEN_WORDS.includes(name) ||
    (name === 'actions' && operation.path.startsWith('/v1/audit-logs'));
  const closed = checked.filter((row) => !isOpen(row));
  const ids = closed.filter(({ name }) => /_ids?$|^is_in_groups$/.test(name));

  it('is looked at in many places', () => {
    expect(checked.length).toBeGreaterThan(50);
    expect(closed.length).toBeGreaterThan(40);
    expect(ids.length).toBeGreaterThan(15);
  });

  it.each(titled(checked))('that no syntax allows is 400: %s, %s', (_id, _name, row) => {
    for (const value of ['', '!', 'a,,b', 'é', 'A B', ' 1']) {
      expect([value, typeOf(row, value)]).toEqual([value, 'parse_error']);
    }
  });

  it.each(titled(closed))('that is an unknown word is 400: %s, %s', (_id, _name, row) => {
    expect(typeOf(row, 'nonsense')).toBe('parse_error');
  });

  it.each(titled(ids))(
    'that is a malformed id is 400, an unknown one is not: %s, %s',
    (_id, _name, row) => {
      const id = '0123abcd-0000-8000-8000-00000000abcd';
      expect(typeOf(row, id)).toBe('accepted');
      for (const value of [
        id.toUpperCase(),
        id.slice(1),
        `${id}0`,
        `{${id}}`,
        id.replaceAll('-', ''),
      ]) {
        expect([value, typeOf(row, value)]).toEqual([value, 'parse_error']);
      }
    },
  );
});

it('a query parameter that nobody knows is 422 and named, whatever the operation', () => {
  for (const operation of OPERATIONS) {
    const refusal = parseQuery(operation.query as s.AnyShape, 'no_such=1');
    expect([operation.id, refusal]).toMatchObject([
      operation.id,
      {
        refused: 'invalid_inputs',
        message: expect.stringContaining('unknown query parameter "no_such"') as unknown,
      },
    ]);
  }
});

describe('a path', () => {
  let server: Server;
  let baseUrl: string;
  beforeAll(async () => {
    // nothing behind the routes: no request of this test may get so far
    const app = createApp({
      documents: new Map(),
      console: { files: new Map(), providers: [] },
      ...appTraffic(),
    } as unknown as AppDeps);
    server = createFastServer(app);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function answerTo(method: string, path: string): Promise<[number, unknown]> {
    const response = await fetch(baseUrl + path, { method });
    const body = (await response.json()) as { err_type: string };
    return [response.status, body.err_type];
  }

  const routes = [...OPERATIONS, ...SERVICE_ROUTES].map(
    ({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, 'x')] as const,
  );

  it.each(routes)('with an empty segment at its end is 404: %s %s', async (method, path) => {
    expect(await answerTo(method, `${path}/`)).toEqual([404, 'not_found']);
  });

  const parameters = OPERATIONS.filter(({ path }) => path.endsWith('}')).map(
    ({ method, path }) =>
      [method, path.replace(/\{\w+\}$/, '').replaceAll(/\{\w+\}/g, 'x')] as const,
  );

  it.each(parameters)('with an empty parameter at its end is 404: %s %s', async (method, path) => {
    expect(path.endsWith('/')).toBe(true);
    expect(await answerTo(method, path)).toEqual([404, 'not_found']);
  });

  it.each(routes)('with an empty segment before its end is 400: %s %s', async (method, path) => {
    expect(await answerTo(method, path.replace('/', '//'))).toEqual([400, 'parse_error']);
    expect(await answerTo(method, `${path}//`)).toEqual([400, 'parse_error']);
  });
});
