/**
 * What each process reads from its environment, as the doctor knows it: the operator's tools import neither gateway nor
 * party. test/docs/doctor-variables.test.ts compares it with what the processes read.
 */
import { trustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { metricsSettings } from '@countersign/runtime/metrics/metrics-server.js';
import { integer, logLevel, webhookLoopback } from '@countersign/runtime/process/config.js';
import { signInSettings } from '@countersign/runtime/tokens/identity-providers.js';
import { z } from 'zod';

export const PROCESS_NAMES = ['gateway', 'party', 'notifier', 'prices', 'migrate'] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

const path = z.string().min(1);
const networks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be addresses or networks')),
  );
const common = { ...metricsSettings, LOG_LEVEL: logLevel };

export const PROCESS_VARIABLES = {
  gateway: {
    DATABASE_URL: z.url(),
    REDIS_URL: z.url(),
    EVIDENCE_KEY_FILE: path,
    ...trustedGenesis,
    ...signInSettings,
    PIN_FILE: path,
    HOST: z.string().min(1).prefault('127.0.0.1'),
    PORT: integer(8080, 0, 65_535),
    TRUSTED_PROXIES: networks.optional(),
    RATE_PER_ADDRESS: integer(10_000, 1, 1_000_000),
    RATE_PER_CREDENTIAL: integer(5_000, 1, 1_000_000),
    FAILURES_PER_ADDRESS: integer(50, 1, 100_000),
    LEDGER_POLL_MS: integer(2_000, 50, 5_000),
    DRAIN_S: integer(5, 0, 300),
    SHUTDOWN_MS: integer(10_000, 0, 120_000),
    WEBHOOK_JWKS_FILE: path.optional(),
    PRICES_FILE: path.optional(),
    WEBHOOK_LOOPBACK: webhookLoopback,
    CONSOLE_DIR: path.optional(),
    ...common,
  },
  party: {
    PARTY: z.enum(['1', '2', '3']).transform(Number),
    REPLICA: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be letters, digits and -')
      .prefault('a'),
    DATABASE_URL: z.url(),
    REDIS_URL: z.url(),
    EVIDENCE_KEY_FILE: path,
    KEY_DIR: path,
    KEK_FILE: path.optional(),
    ...trustedGenesis,
    ...signInSettings,
    PIN_FILE: path.optional(),
    SIGNING_THREADS: integer(1, 1, 64),
    RSA_STOCK: integer(0, 0, 64),
    RSA_STOCK_DELAY_S: integer(60, 0, 86_400),
    LEDGER_POLL_MS: integer(2_000, 50, 2_000),
    ANCHOR_EVERY_S: integer(60, 1, 3_600),
    PRICES_FILE: path.optional(),
    ...common,
  },
  notifier: {
    DATABASE_URL: z.url(),
    EVIDENCE_KEY_FILE: path,
    ...trustedGenesis,
    PIN_FILE: path,
    WEBHOOK_KEY_FILE: path,
    WEBHOOK_LOOPBACK: webhookLoopback,
    LOOK_MS: integer(500, 50, 10_000),
    WEBHOOK_KEPT_DAYS: integer(30, 1, 365),
    ...common,
  },
  prices: {
    REDIS_URL: z.url(),
    PRICE_KEY_FILE: path,
    PRICE_SOURCES_FILE: path,
    ...common,
  },
  migrate: { DATABASE_URL: z.url() },
} satisfies Record<ProcessName, z.ZodRawShape>;

/** Sealed under the KEK, in the folder that `KEY_DIR` names. */
export const SEALED_KEYS = ['identity.sealed', 'exchange.sealed'];
/** In the same folder, where `KEK_FILE` names no other place. */
export const KEK_NAME = 'kek.key';

/** Whose tables the process works with; `migrate` works as the database's owner. */
export function roleOf(process: ProcessName, party: string | undefined): string | undefined {
  if (process === 'party') return `countersign_party_${party ?? '?'}`;
  return process === 'gateway' || process === 'notifier' ? `countersign_${process}` : undefined;
}
