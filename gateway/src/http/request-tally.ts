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

/** `denied`: the answer was no (4xx). `failed`: it came to nothing: a fault, an overload, or not signed in its time. */
export const RESULTS = ['succeeded', 'denied', 'failed'] as const;
export type Result = (typeof RESULTS)[number];

/** One row of the routing table. */
export interface RouteTally extends RequestTarget {
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Id of the operation where it signs. */
  readonly signs: string | undefined;
  readonly reasons: ReadonlyMap<RefusalReason, number>;
  /** What requests came to. One that was answered before it had ended is not among them until it has. */
  readonly results: ReadonlyMap<Result, number>;
  /** Counts an answer. `ms`: how long it took; `refusal`: why it was no, where it was. */
  note(status: number, ms: number, refusal: Refusal | undefined): void;
}

export interface RequestTally {
  readonly routes: readonly RouteTally[];
  /** Of requests for signatures, whatever they came to, save those whose caller did not stay for the answer. */
  readonly signing: LatencyHistogram;
  readonly authenticationFaults: Readonly<Record<AuthenticationFault, number>>;
  open(target: RequestTarget, signs: string | undefined): RouteTally;
  /** A request of that signing operation has ended whose answer did not say how. */
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
