import type { SignatureCost } from './plan-capacity.js';

/** What is asked of a vault. */
export const TRAFFICS = ['raw-sign'] as const;
export type Traffic = (typeof TRAFFICS)[number];

/** By `npm run bench -- --only sign --connections 64 --rounds 4 --seconds 5`, two cores of an AMD EPYC, 26 November 2026. */
export const MEASURED_COSTS: Readonly<Record<Traffic, SignatureCost>> = {
  'raw-sign': {
    gateway: { all: 644, mainThread: 520 },
    party: { all: 611, mainThread: 295 },
    redis: 78,
    postgres: 240,
    walBytes: 4_468,
  },
};
