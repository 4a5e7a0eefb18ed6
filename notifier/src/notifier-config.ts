import {
  integer,
  logLevel,
  readConfig,
  webhookLoopback,
} from '@countersign/runtime/process/config.js';
import { trustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { metricsSettings } from '@countersign/runtime/metrics/metrics-server.js';
import { z } from 'zod';

/** What each variable is stands in docs/reference/environment.md as well; a test compares the two. */
export const notifierVariables = z.object({
  /** Connection URL of PostgreSQL as the role `countersign_notifier`. Required. */
  DATABASE_URL: z.url(),
  /** File with the evidence key: the ledger cannot be folded without it. Required. */
  EVIDENCE_KEY_FILE: z.string().min(1),
  ...trustedGenesis,
  /** Where this process remembers the ledger that it relied on: a file that outlives the process. Required. */
  PIN_FILE: z.string().min(1),
  /** The private key that events are signed with (`countersign webhook-key`). Required. */
  WEBHOOK_KEY_FILE: z.string().min(1),
  WEBHOOK_LOOPBACK: webhookLoopback,
  /** How often to look for what is new and what is due, ms. */
  LOOK_MS: integer(500, 50, 10_000),
  /** For how long it is kept what became of each event, days: until then it can be asked for and sent again. */
  WEBHOOK_KEPT_DAYS: integer(30, 1, 365),
  ...metricsSettings,
  LOG_LEVEL: logLevel,
});

export type NotifierConfig = z.output<typeof notifierVariables>;

/** Throws ConfigError with everything that is wrong, all at once. */
export function readNotifierConfig(
  environment: Readonly<Record<string, string | undefined>>,
): NotifierConfig {
  return readConfig(notifierVariables, environment);
}
