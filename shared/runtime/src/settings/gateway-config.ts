import { integer, logLevel, webhookLoopback } from '../process/config.js';
import { trustedGenesis } from '../ledger/trusted-genesis.js';
import { metricsSettings } from '../metrics/metrics-server.js';
import { tracingSettings } from '../tracing/tracing.js';
import { signInSettings } from '../tokens/identity-providers.js';
import { z } from 'zod';

/** Addresses, or networks as `10.0.0.0/8`, with commas between. */
const networks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be addresses or networks')),
  );

/** They are far beyond what a desk asks of one gateway, and far below what would hurt it. */
export const DEFAULT_RATES = { perAddress: 10_000, perCredential: 5_000, failuresPerAddress: 50 };

/** docs/reference/environment.md also describes each variable; a test compares the two. */
export const gatewayVariables = z.object({
  /** Connection URL of PostgreSQL as the role `countersign_gateway`. Required. */
  DATABASE_URL: z.url(),
  /** Connection URL of Redis. Required. */
  REDIS_URL: z.url(),
  /** File with the evidence key; readable by its owner alone. Required. */
  EVIDENCE_KEY_FILE: z.string().min(1),
  ...trustedGenesis,
  ...signInSettings,
  /** File in which this gateway remembers the ledger that it relied on; it must outlive the process. Required. */
  PIN_FILE: z.string().min(1),
  /** Address to listen on; default: loopback, because a proxy with TLS stands before the gateway. */
  HOST: z.string().min(1).prefault('127.0.0.1'),
  /** TCP port; 0 takes a free one, which the log line `listening` tells. */
  PORT: integer(8080, 0, 65_535),
  /**
   * Proxies before this gateway: addresses or networks, with commas between. The caller's address is what they say in
   * `x-forwarded-for`. If absent, nobody is believed, and whoever connects is the caller.
   */
  TRUSTED_PROXIES: networks.optional(),
  /** Requests that one address may send in a second, and twice that at once. An IPv6 address is its /64 network. */
  RATE_PER_ADDRESS: integer(DEFAULT_RATES.perAddress, 1, 1_000_000),
  /**
   * Requests that one caller may sign in a second, and twice that at once; reads have the same limit, counted apart.
   */
  RATE_PER_CREDENTIAL: integer(DEFAULT_RATES.perCredential, 1, 1_000_000),
  /**
   * Signature checks that may fail in a second for one credential from one address, and ten times that at once. All
   * addresses together have ten times as many.
   */
  FAILURES_PER_ADDRESS: integer(DEFAULT_RATES.failuresPerAddress, 1, 100_000),
  /** How often to look for ledger entries when no notification comes, ms. */
  LEDGER_POLL_MS: integer(2_000, 50, 5_000),
  /**
   * How long this gateway goes on serving after SIGTERM, s, while `/health/ready` says 503, so that a balancer sees it
   * and sends nothing more. `npm start` sets 0.
   */
  DRAIN_S: integer(5, 0, 300),
  /** How long a stop may then take before open requests are cut off, ms. */
  SHUTDOWN_MS: integer(10_000, 0, 120_000),
  /** The notifier's public keys (JSON Web Key Set), for receivers of events; absent: none. */
  WEBHOOK_JWKS_FILE: z.string().min(1).optional(),
  /** The price sources that this gateway believes (docs/reference/prices.md); absent: only the parties value things. */
  PRICES_FILE: z.string().min(1).optional(),
  WEBHOOK_LOOPBACK: webhookLoopback,
  /**
   * Folder of the built console; absent: the one that was built beside this gateway. Without the folder there is no
   * console.
   */
  CONSOLE_DIR: z.string().min(1).optional(),
  ...metricsSettings,
  ...tracingSettings,
  LOG_LEVEL: logLevel,
});

export type GatewayConfig = z.output<typeof gatewayVariables>;
