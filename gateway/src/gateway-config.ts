import {
  integer,
  logLevel,
  readConfig,
  webhookLoopback,
} from '@countersign/runtime/process/config.js';
import { trustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { signInSettings } from '@countersign/runtime/tokens/identity-providers.js';
import { z } from 'zod';

const schema = z.object({
  /** Connection URL of PostgreSQL as the role `countersign_gateway`. Required. */
  DATABASE_URL: z.url(),
  /** Connection URL of Redis. Required. */
  REDIS_URL: z.url(),
  /** File with the evidence key; readable by its owner alone. Required. */
  EVIDENCE_KEY_FILE: z.string().min(1),
  ...trustedGenesis,
  ...signInSettings,
  /** Where this gateway remembers the ledger that it relied on: a file that outlives the process. Required. */
  PIN_FILE: z.string().min(1),
  /** Address to listen on; loopback when absent: a proxy with TLS stands before the gateway. */
  HOST: z.string().min(1).prefault('127.0.0.1'),
  /** TCP port; 0 takes a free one, told in the log line `listening`. */
  PORT: integer(8080, 0, 65_535),
  /** How often to look for ledger entries when no notification comes, ms. */
  LEDGER_POLL_MS: integer(500, 50, 10_000),
  /** How long a stop may take before open requests are cut off, ms. */
  SHUTDOWN_MS: integer(10_000, 0, 120_000),
  /** The notifier's public keys (JSON Web Key Set), told to receivers of events; absent: none. */
  WEBHOOK_JWKS_FILE: z.string().min(1).optional(),
  /** Whose prices this gateway believes (docs/PRICES.md); absent: it leaves what things are worth to the parties. */
  PRICES_FILE: z.string().min(1).optional(),
  WEBHOOK_LOOPBACK: webhookLoopback,
  /** Folder of the built console; absent: the one that was built beside this gateway. Without it there is no console. */
  CONSOLE_DIR: z.string().min(1).optional(),
  LOG_LEVEL: logLevel,
});

export type GatewayConfig = z.output<typeof schema>;

/** Throws ConfigError with everything that is wrong, all at once. */
export function readGatewayConfig(
  environment: Readonly<Record<string, string | undefined>>,
): GatewayConfig {
  return readConfig(schema, environment);
}
