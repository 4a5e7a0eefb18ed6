import { integer, logLevel, webhookLoopback } from '../process/config.js';
import { trustedGenesis } from '../ledger/trusted-genesis.js';
import { metricsSettings } from '../metrics/metrics-server.js';
import { z } from 'zod';

/** docs/reference/environment.md also describes each variable; a test compares the two. */
export const notifierVariables = z.object({
  /** Connection URL of PostgreSQL as the role `countersign_notifier`. Required. */
  DATABASE_URL: z.url(),
  /** File with the evidence key, which the fold of the ledger needs. Required. */
  EVIDENCE_KEY_FILE: z.string().min(1),
  ...trustedGenesis,
  /** File in which this process remembers the ledger that it relied on; it must outlive the process. Required. */
  PIN_FILE: z.string().min(1),
  /** The private key that signs events (`countersign webhook-key`). Required. */
  WEBHOOK_KEY_FILE: z.string().min(1),
  /** Private JSON file: which webhooks speak to Slack, Telegram, PagerDuty or a mail server, and by which secrets. Absent: none. */
  WEBHOOK_TARGETS_FILE: z.string().min(1).optional(),
  /** Address of the console, to which events of requests link. Absent: they have no link. */
  CONSOLE_URL: z
    .url({ protocol: /^https?$/ })
    .regex(/\/console\/$/, 'must end with /console/')
    .optional(),
  WEBHOOK_LOOPBACK: webhookLoopback,
  /** How often to look for new events and due deliveries, ms. */
  LOOK_MS: integer(2_000, 50, 10_000),
  /** How long the outcome of each event is kept, days: until then it can be read and sent again. */
  WEBHOOK_KEPT_DAYS: integer(30, 1, 365),
  ...metricsSettings,
  LOG_LEVEL: logLevel,
});

export type NotifierConfig = z.output<typeof notifierVariables>;
