import * as s from '@countersign/core/shapes.js';
import { apiOperation, READ } from '../operation.js';
import {
  queueSession,
  systemHistory,
  systemOperations,
  type SystemOperations,
} from '../system-operations-schema.js';
import { CREATED_AT, GENESIS_HASH, NOW, REQUEST_ID } from '../example-values.js';
import { VERSION } from './service.js';

const tag = 'operations';
const action = 'view_system_resources' as const;

const parties = [1, 2, 3].map((party) => ({
  party,
  is_alive: true,
  head: { seq: 412, at: NOW, rules_version: 3, newest_rules_version: 3 },
  obeys_seq: 380,
  replicas: [{ name: 'a', is_primary: true, has_answered: true, failures: 0, heard_ms_ago: 210 }],
  queues: [{ replica: 'a', depth: 1, oldest_ms: 4 }],
}));

const pairs = [
  [1, 2],
  [1, 3],
  [2, 3],
].map((two) => ({
  parties: two,
  breaker: 'closed' as const,
  answered: 90_212,
  retried: 3,
  lost: 0,
  typical_ms: 11.5,
}));

const example: SystemOperations = {
  at: NOW,
  gateway: {
    id: 'gateway-0011223344556677',
    version: VERSION,
    uptime_s: 86_400,
    event_loop_use: 0.31,
    memory_bytes: 209_715_200,
    database_connections: { open: 4, idle: 3, waiting: 0 },
  },
  ledger: {
    seq: 412,
    hash: GENESIS_HASH,
    rules_version: 3,
    confirmed_ms_ago: 120,
    is_stopped: false,
    pending: 0,
    oldest_ms: null,
    held: 1,
  },
  parties,
  pairs,
  signing: {
    window_s: 60,
    per_s: 214.6,
    succeeded: 12_871,
    denied: 5,
    failed: 0,
    latency: { p50_ms: 13, p95_ms: 24, p99_ms: 41 },
    waiting: 3,
    oldest_ms: 2,
    under_way: 12,
    batches: 2,
  },
  refusals: [{ operation: 'POST /v1/keys/{key_id}/sign', reason: 'rules', count: 5, total: 1_042 }],
  authentication_faults: { credential: 12, timestamp: 1, assertion: 0, replay: 0 },
  too_often: { address: 0, credential: 0, failures: 0 },
  stuck_requests: [{ request_id: REQUEST_ID, operation: 'sign-with-key', waiting_ms: 6_120 }],
  freezes: {
    total: 1,
    by_scope: { system: 0, vault: 0, wallet: 0, venue: 1, key: 0, user: 0 },
  },
  prices: { state: 'ok', relays: [{ relay: 'east', age_ms: 840 }] },
  alarms: [
    {
      kind: 'party_misbehaved',
      count: 1,
      last_at: NOW,
      parties: [2],
      what_to_do:
        'Look at the host of that party; if it repeats, stop the party: the other two sign on.',
    },
  ],
};

export const getSystemOperationsOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-system-operations',
  path: '/v1/system/operations',
  summary: 'How the vault works now',
  description:
    'Queues, throughput, latency, refusals by reason, parties and their replicas, heads, freezes, stuck requests and alarms. They are as this gateway sees them, at most a second old; another gateway has figures of its own. What only this gateway counts began at its start. Answers 504 while the database cannot be reached.',
  action,
  response: systemOperations,
  example: { response: example },
});

export const streamSystemOperationsOperation = apiOperation({
  ...READ,
  tag,
  id: 'stream-system-operations',
  path: '/v1/system/operations/stream',
  summary: 'The same, as it changes',
  description:
    'Server-sent events (WHATWG HTML, 9.2). Every two seconds there is an event `operations` with the figures as JSON. While the database cannot be reached there is a comment every 15 seconds instead. A credential may have 4 streams from addresses where its caller has signed, and 4 from all others; a gateway has 64 at most. Answers 504 beyond that. The stream ends when the credential ends, or its user is frozen, deleted or may no longer look. It also ends when its reader takes nothing for 30 seconds, and after an hour. Ask again, with a fresh token.',
  action,
  response: s.string(),
  content: {
    'text/event-stream': 'Events: `event: operations`, and `data:` with a `SystemOperations`.',
  },
  example: { response: `event: operations\ndata: ${JSON.stringify(example)}\n\n` },
});

export const getSystemHistoryOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-system-history',
  method: 'GET',
  path: '/v1/system/history',
  summary: 'How the vault worked in the last 24 hours',
  description:
    'Throughput, latency, refusals and queues by the minute, and what was not as it should be from when to when. It is what this gateway saw, at a look every five seconds, and keeps in memory. It begins at the start of the gateway, and another gateway has a history of its own. A time-series database such as Prometheus keeps more.',
  action,
  response: systemHistory,
  example: {
    response: {
      gateway_id: example.gateway.id,
      since: CREATED_AT,
      minutes: {
        at: [CREATED_AT, NOW],
        answered: [12_871, 0],
        succeeded: [12_866, 0],
        denied: [5, 0],
        failed: [0, 0],
        p50_ms: [13, null],
        p95_ms: [24, null],
        p99_ms: [41, null],
        queued: [
          [1, 0],
          [0, 0],
          [2, 0],
        ],
      },
      troubles: [{ kind: 'party_away', parties: [2], from: CREATED_AT, to: NOW }],
    },
  },
});

/** Path of the page that shows the queues. */
export const QUEUES_PATH = '/queues/';

export const openQueueSessionOperation = apiOperation({
  ...READ,
  tag,
  id: 'open-queue-session',
  path: '/v1/system/queues/session',
  summary: 'Look at the queues in a browser',
  description:
    'A browser that goes to a page sends no credential. So this answer sets a cookie. With it the browser may read the page of bull-board at `path` for ten minutes, and no longer than its token is valid. The page shows the queues of the parties, their depths and rates, but no payloads. It changes nothing. The cookie is `HttpOnly`, `Secure` and `SameSite=Strict`, and is valid below `/queues` alone. It ends as soon as its user is frozen, deleted or may no longer look.',
  action,
  response: queueSession,
  example: { response: { path: QUEUES_PATH, ends_at: NOW } },
});

export const SYSTEM_OPERATIONS = [
  getSystemOperationsOperation,
  streamSystemOperationsOperation,
  getSystemHistoryOperation,
  openQueueSessionOperation,
] as const;
