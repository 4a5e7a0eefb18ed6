import type { SignatureCost } from './plan-capacity.js';

/** What is asked of a vault. */
export const TRAFFICS = ['raw-sign', 'orders-by-20'] as const;
export type Traffic = (typeof TRAFFICS)[number];

/**
 * By `npm run bench -- --only sign --connections 64` and `--only venue-batch --connections 64`, two cores of an AMD EPYC, nothing
 * else running, 26 November 2026.
 */
export const MEASURED_COSTS: Readonly<Record<Traffic, SignatureCost>> = {
  'raw-sign': {
    gateway: { all: 786, mainThread: 679 },
    party: { all: 623, mainThread: 284 },
    redis: 90,
    postgres: 259,
    walBytes: 4_481,
  },
  'orders-by-20': {
    gateway: { all: 240, mainThread: 182 },
    party: { all: 174, mainThread: 108 },
    redis: 19,
    postgres: 199,
    walBytes: 3_755,
  },
};
