/** Looks at database, Redis, gateways and snapshots of a running vault, and says what an upgrade to this release will do. */
import { readFileSync } from 'node:fs';
import { VERSION } from '@countersign/api/operations/service.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { PRESENCE_KEY } from '@countersign/runtime/jobs/names.js';
import { SPOKEN } from '@countersign/runtime/jobs/protocol.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { readRows } from '@countersign/runtime/ledger/read-rows.js';
import { migrationsOf } from '@countersign/runtime/process/required-database.js';
import { createFold, type LedgerView } from '@countersign/vault/ledger/fold.js';
import { NEWEST_RULES } from '@countersign/vault/ledger/rules.js';
import { SAVED_FOLD_FORMAT } from '@countersign/vault/snapshots/saved-fold.js';
import { Redis } from 'ioredis';
import pg from 'pg';
import { fault, warning, wordsOf, type Finding } from '../doctor/finding.js';
import {
  judgeGateway,
  judgeMigrations,
  judgeParties,
  judgeRules,
  judgeSnapshot,
  stepsOf,
  type Migrations,
} from './judge-upgrade.js';

const WITHIN_MS = 5_000;
const LONGEST_LABEL = 4_096;

export interface UpgradeSurroundings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly keys: EvidenceKeys;
  readonly gateways: readonly string[];
  readonly pinFiles: readonly string[];
}

export interface UpgradePlan {
  readonly version: string;
  readonly faults: number;
  readonly findings: readonly Finding[];
  readonly steps: readonly string[];
}

/** Rejects where the database or the ledger in it cannot be read: nothing can be said then. */
export async function checkUpgrade(given: UpgradeSurroundings): Promise<UpgradePlan> {
  const { migrations, view } = await readLedger(given);
  const findings = [
    judgeMigrations(migrations),
    judgeRules(view, NEWEST_RULES),
    ...(await checkParties(given.redisUrl, view)),
    ...(await Promise.all(given.gateways.map(checkGateway))),
    ...given.pinFiles.map(checkSnapshot),
  ];
  const faults = findings.filter(({ verdict }) => verdict === 'fault').length;
  return { version: VERSION, faults, findings, steps: stepsOf(migrations) };
}

async function readLedger({
  databaseUrl,
  keys,
}: UpgradeSurroundings): Promise<{ migrations: Migrations; view: LedgerView }> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: WITHIN_MS,
  });
  pool.on('error', () => undefined); // whoever asks next is told
  try {
    const migrations = await migrationsOf(pool);
    if (migrations.has.length === 0) throw new Error('the database holds no vault');
    const fold = createFold({ keys });
    const rows = readRows(createLedgerStore(pool), 0, Number.MAX_SAFE_INTEGER);
    for await (const page of rows) fold.advance(page);
    return { migrations, view: fold.view };
  } finally {
    await pool.end();
  }
}

async function checkParties(redisUrl: string, view: LedgerView): Promise<Finding[]> {
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: WITHIN_MS,
    commandTimeout: WITHIN_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
  });
  redis.on('error', () => undefined); // the call that fails says so
  try {
    await redis.connect();
    return judgeParties(await redis.hgetall(PRESENCE_KEY), view, SPOKEN, Date.now());
  } catch (error) {
    const advice = 'look at REDIS_URL, at the server, and at the way to it';
    return [fault('Redis', `it cannot be reached: ${wordsOf(error)}`, advice)];
  } finally {
    redis.disconnect();
  }
}

async function checkGateway(url: string): Promise<Finding> {
  try {
    const response = await fetch(new URL('/v1/info', url), {
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    return judgeGateway(url, response.status, await response.text(), VERSION);
  } catch (error) {
    return warning(url, `it cannot be asked: ${wordsOf(error)}`, 'look at the gateway');
  }
}

/** The first line of a snapshot says its format. */
function checkSnapshot(pinFile: string): Finding {
  const path = `${pinFile}.snapshot`;
  try {
    const [line = ''] = readFileSync(path, 'utf8').split('\n', 1);
    const { format } = JSON.parse(line.slice(0, LONGEST_LABEL)) as { format?: unknown };
    return judgeSnapshot(path, String(format), SAVED_FOLD_FORMAT);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return judgeSnapshot(path, undefined, SAVED_FOLD_FORMAT);
    return warning(
      path,
      `it cannot be read: ${wordsOf(error)}`,
      'run this as a user who may read it',
    );
  }
}

export function describePlan({ version, faults, findings, steps }: UpgradePlan): string {
  const lines = findings.map(
    ({ about, verdict, says, advice }) =>
      `${verdict.padEnd(8)} ${about}: ${says}\n${advice === undefined ? '' : `         → ${advice}\n`}`,
  );
  const end = faults > 0 ? 'do not upgrade yet\n' : '';
  const numbered = steps.map((step, index) => `${index + 1}. ${step}\n`);
  return `${lines.join('')}\nUpgrade to ${version}, in this order:\n${numbered.join('')}${end}`;
}
