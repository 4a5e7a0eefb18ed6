/** Many callers signing at once while something breaks, and what must hold of every one of them. */
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { decodeOutcome } from '@countersign/runtime/jobs/sign-outcome.js';
import pg from 'pg';
import type { RawClient } from '../../client/dist/calls/raw-client.js';
import { deliver, rawSignRequest, type SignedRequest } from './signed-request.ts';
import { eventually, type TestUser, type TestWallet } from './test-vault.ts';

export interface Shot {
  readonly signed: SignedRequest;
  readonly message: Buffer;
  readonly startedAt: number;
  readonly endedAt: number;
  /** undefined: the connection broke before an answer came. */
  readonly status: number | undefined;
  readonly text: string;
  readonly signature: string | undefined;
}

export interface Load {
  readonly shots: readonly Shot[];
  /** Resolves once `count` more signatures have come back. */
  untilSigned(count: number): Promise<void>;
  /** Lets every caller finish its last request. */
  stop(): Promise<readonly Shot[]>;
}

const PAUSE_AFTER_BREAK_MS = 20;
/** Of a caller for whose signatures nobody waits: what the test starts or stops meanwhile needs the cores, too. */
const CALM_MS = 50;
const running = new Set<Load>();

/** For after each test: a failed one leaves no load on the next. */
export async function stopLoads(): Promise<void> {
  await Promise.all([...running].map((load) => load.stop()));
}

/**
 * `baseUrl` is asked before every request: another gateway may have taken over. `waitS`: as each caller
 * prefers it; the service's default when absent. At full speed while somebody waits for signatures, and so
 * at the moment after; all the while where it `isSteady`.
 */
export function startLoad(
  baseUrl: () => string,
  user: TestUser,
  wallet: TestWallet,
  {
    callers = 16,
    waitS,
    isSteady = false,
  }: { callers?: number; waitS?: number; isSteady?: boolean } = {},
): Load {
  const shots: Shot[] = [];
  let isOver = false;
  let waiting = 0;

  async function call(): Promise<void> {
    while (!isOver) {
      const shot = await shoot(baseUrl(), user, wallet, waitS);
      shots.push(shot);
      if (waiting === 0 && !isSteady) await setTimeout(CALM_MS);
      else if (shot.status !== 200) await setTimeout(PAUSE_AFTER_BREAK_MS);
    }
  }

  const signed = () => shots.filter((shot) => shot.status === 200).length;
  const calls = Promise.all(Array.from({ length: callers }, call));
  const load: Load = {
    shots,
    async untilSigned(count) {
      const target = signed() + count;
      waiting += 1;
      await eventually(() => signed() >= target, 60_000).finally(() => (waiting -= 1));
    },
    async stop() {
      isOver = true;
      running.delete(load);
      await calls;
      return shots;
    },
  };
  running.add(load);
  return load;
}

/** How long from `since` until the answer to the first request after it that was signed. */
export function timeToSignature(shots: readonly Shot[], since: number): number {
  const times = shots.flatMap((shot) =>
    shot.startedAt >= since && shot.status === 200 ? [shot.endedAt - since] : [],
  );
  return Math.min(...times);
}

/** `waitS`: how long the caller wants to wait for the signature; the service's default when absent. */
export async function shoot(
  baseUrl: string,
  user: TestUser,
  wallet: TestWallet,
  waitS?: number,
): Promise<Shot> {
  const message = randomBytes(32);
  const signed = rawSignRequest(user.credential, wallet.path, message);
  const prefer = waitS === undefined ? {} : { prefer: `wait=${waitS}` };
  const startedAt = Date.now();
  const answer = await deliver(baseUrl, signed, prefer).catch((error: unknown) => {
    if (isBrokenConnection(error)) return undefined;
    throw error;
  });
  const signature = (answer?.body as { signature?: string } | undefined)?.signature;
  return {
    signed,
    message,
    startedAt,
    endedAt: Date.now(),
    status: answer?.status,
    text: answer?.text ?? '',
    signature: answer?.status === 200 ? signature : undefined,
  };
}

/** Several at once, by callers who wait. */
export function shootMany(
  baseUrl: string,
  user: TestUser,
  wallet: TestWallet,
  count: number,
): Promise<Shot[]> {
  return Promise.all(Array.from({ length: count }, () => shoot(baseUrl, user, wallet, 30)));
}

/** As fetch tells it, from outside the test's own realm. */
function isBrokenConnection(error: unknown): boolean {
  const { name, message } = error as Error;
  return name === 'TypeError' && ['fetch failed', 'terminated'].includes(message);
}

export function statusesOf(shots: readonly Shot[]): (number | undefined)[] {
  return [...new Set(shots.map((shot) => shot.status))].toSorted((a, b) => (a ?? 0) - (b ?? 0));
}

const FINAL = ['completed', 'expired', 'rejected', 'failed'];

/** The request's record once it is final. */
export function finalRecord(
  client: RawClient,
  requestId: string,
): Promise<{ status: string; result?: { signature: string } }> {
  return eventually(async () => {
    const { status, body } = await client.get(`/v1/requests/${requestId}`);
    const record = body as { status: string };
    return status === 200 && FINAL.includes(record.status) && record;
  }, 60_000);
}

interface ResultRow {
  request_id: string;
  outcome: string;
  payload: Buffer;
}

/**
 * Throws unless: every 200 has one result with the very signature that was answered; every 202 ends in
 * a final state; one signature at most was made for any request, answered or not, and each verifies.
 * Returns the number of signatures recorded.
 */
export async function checkShots(
  ownerUrl: string,
  client: RawClient,
  wallet: TestWallet,
  shots: readonly Shot[],
): Promise<number> {
  for (const { status, signed } of shots) {
    if (status === 202) await finalRecord(client, signed.requestId);
  }
  const results = await readResults(ownerUrl, shots);
  const publicKey = openSslKey(wallet.publicKey);
  let signatures = 0;
  for (const { signed, message, signature, status, text } of shots) {
    const rows = results.get(signed.requestId) ?? [];
    const recorded = rows.flatMap(({ payload }) => {
      const outcome = decodeOutcome(payload);
      return outcome.outcome === 'signed' ? [Buffer.from(outcome.signature)] : [];
    });
    const where = `request ${signed.requestId}, HTTP ${status ?? 'none'} ${text}`;
    if (recorded.length > 1) throw new Error(`${where}: signed ${recorded.length} times`);
    if (signature !== undefined && recorded[0]?.toString('base64') !== signature) {
      throw new Error(`${where}: what was answered is not what was recorded`);
    }
    if (recorded[0] === undefined) continue;
    signatures += 1;
    if (!verify(null, message, publicKey, recorded[0])) {
      throw new Error(`${where}: the signature does not verify`);
    }
  }
  return signatures;
}

async function readResults(
  ownerUrl: string,
  shots: readonly Shot[],
): Promise<Map<string, ResultRow[]>> {
  const ids = shots.map(({ signed }) => signed.requestId);
  const rows = await query<ResultRow>(
    ownerUrl,
    'SELECT request_id, outcome, payload FROM request_result WHERE request_id = ANY($1)',
    [ids],
  );
  const leads = await query<{ request_id: string; count: string }>(
    ownerUrl,
    `SELECT request_id, count(*) FROM (
       SELECT request_id, outcome FROM party_1.sign_record
       UNION ALL SELECT request_id, outcome FROM party_2.sign_record
       UNION ALL SELECT request_id, outcome FROM party_3.sign_record) AS record
     WHERE outcome = 'signed' AND request_id = ANY($1) GROUP BY request_id`,
    [ids],
  );
  const twice = leads.find(({ count }) => count !== '1');
  if (twice !== undefined) throw new Error(`${twice.request_id}: recorded as signed twice`);
  return groupRows(rows);
}

function groupRows(rows: readonly ResultRow[]): Map<string, ResultRow[]> {
  const groups = new Map<string, ResultRow[]>();
  for (const row of rows) groups.set(row.request_id, [...(groups.get(row.request_id) ?? []), row]);
  return groups;
}

/** An Ed25519 public key (raw, base64) for Node's own verification. */
export function openSslKey(publicKey: string) {
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** One statement on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  connectionString: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return onConnection(connectionString, async (client) => {
    return (await client.query<Row>(text, values)).rows;
  });
}

/** To log in takes server and client longer than most statements. */
export async function onConnection<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
