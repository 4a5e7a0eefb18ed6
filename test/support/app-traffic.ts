import { DEFAULT_RATES } from '@countersign/runtime/settings/gateway-config.js';
import { createRateLimits } from '../../gateway/src/admission/rate-limits.ts';
import { createAddressOf, createSourceOf } from '../../gateway/src/admission/request-source.ts';
import { createRequestTally } from '../../gateway/src/http/request-tally.ts';

/** What an app needs that counts its requests, and their answers, as a gateway does without settings. `now`: ms. */
export function appTraffic(now: () => number = Date.now) {
  return {
    limits: createRateLimits(DEFAULT_RATES, now),
    sourceOf: createSourceOf(false),
    addressOf: createAddressOf(false),
    trustedProxies: [],
    tally: createRequestTally(),
  };
}
