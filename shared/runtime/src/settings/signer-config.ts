import { integer, logLevel } from '../process/config.js';
import { trustedGenesis } from '../ledger/trusted-genesis.js';
import { metricsSettings } from '../metrics/metrics-server.js';
import { tracingSettings } from '../tracing/tracing.js';
import { signInSettings } from '../tokens/identity-providers.js';
import { z } from 'zod';

/** What each variable is stands in docs/reference/environment.md as well; a test compares the two. */
export const signerVariables = z.object({
  /** Which of the three parties this process belongs to. Required. */
  PARTY: z.enum(['1', '2', '3']).transform((text) => Number(text) as 1 | 2 | 3),
  /** Name of this replica among those of its party: letters, digits, `-`. It names the queue. */
  REPLICA: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be letters, digits and -')
    .prefault('a'),
  /** Connection URL of PostgreSQL as the role `countersign_party_<n>`. Required. */
  DATABASE_URL: z.url(),
  /** Connection URL of Redis. Required. */
  REDIS_URL: z.url(),
  /** File with the evidence key; readable by its owner alone. Required. */
  EVIDENCE_KEY_FILE: z.string().min(1),
  /** This party's own folder: identity and exchange keys, sealed under the key-encryption key. */
  KEY_DIR: z.string().min(1),
  /** File with the key-encryption key, so that it need not lie beside what it seals; absent: `kek.key` in that folder. */
  KEK_FILE: z.string().min(1).optional(),
  ...trustedGenesis,
  ...signInSettings,
  /**
   * Where this party remembers the ledger: a file in a folder that outlives the process, of which there is one per
   * party. The process that has it is the party's primary replica and speaks for it; replicas without it ask the primary replica.
   */
  PIN_FILE: z.string().min(1).optional(),
  /** Threads that sign. */
  SIGNING_THREADS: integer(1, 1, 64),
  /** RSA-2048 keys that the parties make ahead in idle time; the same at all three. */
  RSA_STOCK: integer(0, 0, 64),
  /** Nothing is made ahead in this time after the start, s. */
  RSA_STOCK_DELAY_S: integer(60, 0, 86_400),
  /** How often to look for ledger entries when no notification comes, ms. Before a signature it looks in any case. */
  LEDGER_POLL_MS: integer(2_000, 50, 2_000),
  /** How often the party's primary replica anchors its records in the ledger, where there are new ones, s. */
  ANCHOR_EVERY_S: integer(60, 1, 3_600),
  /** Whose prices this party believes (docs/reference/prices.md); absent: nothing has a value in USD here. */
  PRICES_FILE: z.string().min(1).optional(),
  ...metricsSettings,
  ...tracingSettings,
  LOG_LEVEL: logLevel,
});

export type SignerConfig = z.output<typeof signerVariables>;
