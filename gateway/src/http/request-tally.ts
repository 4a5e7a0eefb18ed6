/** Counts what this gateway answers: plain numbers, by the rows of the routing table. */
import type { Refusal } from '@countersign/core/errors.js';
import type { RequestTarget } from '@countersign/api/requests/api-request.js';
import { LatencyHistogram } from '@countersign/runtime/metrics/latency-histogram.js';
import {
  AUTHENTICATION_FAULTS,
  authenticationFaultOf,
  reasonOf,
  type AuthenticationFault,
  type RefusalReason,
} from './refusal-reasons.js';

/** `denied`: the answer was no (4xx). `failed`: no result (a fault, an overload, or not signed in its time). */
export const RESULTS = ['succeeded', 'denied', 'failed'] as const;
export type Result = (typeof RESULTS)[number];

/** One row of the routing table. */
export interface RouteTally extends RequestTarget {
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Id of the operation if it signs. */
  readonly signs: string | undefined;
  readonly reasons: ReadonlyMap<RefusalReason, number>;
  /** How requests ended. One that was answered before it ended counts when it ends. */
  readonly results: ReadonlyMap<Result, number>;
  /** Counts an answer. `ms`: how long it took; `refusal`: present if it was one. */
  note(status: number, ms: number, refusal: Refusal | undefined): void;
}

export interface RequestTally {
  readonly routes: readonly RouteTally[];
  /** Latency of requests for signatures, however they ended, except those whose caller left before the answer. */
  readonly signing: LatencyHistogram;
  readonly authenticationFaults: Readonly<Record<AuthenticationFault, number>>;
  open(target: RequestTarget, signs: string | undefined): RouteTally;
  /** Counts a request of that signing operation whose answer did not say how it ended. */
  end(signs: string, result: Result): void;
}

export function createRequestTally(): RequestTally {
  const routes: RouteTally[] = [];
  const resultsOf = new Map<string, Map<Result, number>>();
  const signing = new LatencyHistogram();
  const faults = Object.fromEntries(AUTHENTICATION_FAULTS.map((fault) => [fault, 0])) as Record<
    AuthenticationFault,
    number
  >;
  return {
    routes,
    signing,
    authenticationFaults: faults,
    open({ method, path }, signs) {
      const statuses = new Map<number, number>();
      const reasons = new Map<RefusalReason, number>();
      const results = new Map<Result, number>();
      if (signs !== undefined) resultsOf.set(signs, results);
      const tally: RouteTally = {
        method,
        path,
        signs,
        statuses,
        reasons,
        results,
        note(status, ms, refusal) {
          countOne(statuses, status);
          const isEnd = status !== 202 && refusal?.isUndecided !== true;
          if (isEnd) countOne(results, resultOf(status));
          if (signs !== undefined) signing.note(ms);
          if (status < 400) return;
          countOne(reasons, reasonOf(refusal));
          if (status === 401 && refusal !== undefined) {
            faults[authenticationFaultOf(refusal.message)] += 1;
          }
        },
      };
      routes.push(tally);
      return tally;
    },
    end(signs, result) {
      const results = resultsOf.get(signs);
      if (results !== undefined) countOne(results, result);
    },
  };
}

function resultOf(status: number): Result {
  if (status < 400) return 'succeeded';
  return status < 500 ? 'denied' : 'failed';
}

function countOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
