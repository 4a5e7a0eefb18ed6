import { z } from 'zod';
import { metricsSettings } from '../metrics/metrics-server.js';
import { logLevel } from '../process/config.js';

/** What each variable is stands in docs/reference/environment.md as well; a test compares the two. */
export const relayVariables = z.object({
  /** Connection URL of Redis. Required. */
  REDIS_URL: z.url(),
  /** The private key that snapshots are signed with (`countersign price-key create`). Required. */
  PRICE_KEY_FILE: z.string().min(1),
  /** Which sources are asked, and where in their answers the prices are (docs/reference/prices.md). Required. */
  PRICE_SOURCES_FILE: z.string().min(1),
  ...metricsSettings,
  LOG_LEVEL: logLevel,
});

export type RelayConfig = z.output<typeof relayVariables>;
