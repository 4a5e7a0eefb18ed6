/** Counts what this gateway answers: plain numbers, by the rows of the routing table. */
import type { Refusal } from '@countersign/core/errors.js';
import type { RequestTarget } from '@countersign/api/operation.js';
import { LatencyHistogram } from '@countersign/runtime/metrics/latency-histogram.js';
import {
  AUTHENTICATION_FAULTS,
  authenticationFaultOf,
  reasonOf,
  type AuthenticationFault,
  type RefusalReason,
} from './refusal-reasons.js';

/** `denied`: the answer was no (4xx). `failed`: there was none (5xx). */
export const RESULTS = ['succeeded', 'denied', 'failed'] as const;
export type Result = (typeof RESULTS)[number];

/** One row of the routing table. */
export interface RouteTally extends RequestTarget {
  /** Answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Id of the operation where it signs. */
  readonly signs: string | undefined;
  readonly reasons: ReadonlyMap<RefusalReason, number>;
  /** Counts an answer. `ms`: how long it took; `refusal`: why it was no, where it was. */
  note(status: number, ms: number, refusal: Refusal | undefined): void;
}

export interface RequestTally {
  readonly routes: readonly RouteTally[];
  /** Of requests for signatures, whatever they came to, save those whose caller did not stay for the answer. */
  readonly signing: LatencyHistogram;
  readonly authenticationFaults: Readonly<Record<AuthenticationFault, number>>;
  open(target: RequestTarget, signs: string | undefined): RouteTally;
}

export function createRequestTally(): RequestTally {
  const routes: RouteTally[] = [];
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
      const tally: RouteTally = {
        method,
        path,
        signs,
        statuses,
        reasons,
        note(status, ms, refusal) {
          countOne(statuses, status);
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
  };
}

export function resultOf(status: number): Result {
  if (status < 400) return 'succeeded';
  return status < 500 ? 'denied' : 'failed';
}

function countOne<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
