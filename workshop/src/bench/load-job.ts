/** What the bench and its load generator say to each other. */

import type { PeerRequest } from './peer-endpoint.js';

export interface LoadCaller {
  readonly apiKey: string;
  /** PKCS #8, PEM. */
  readonly privateKey: string;
}

export interface LoadJob {
  /** This host itself by default. */
  readonly host?: string;
  readonly port: number;
  /**
   * `sign`: each request a new signed raw-sign of a wallet; `key`: of a key; `venue`: a new order for a
   * key to sign; `stuffed`: one with as many parameters as fit. `read`: the same GET again and again;
   * `peer`: what `peer` says.
   */
  readonly kind: 'sign' | 'key' | 'venue' | 'stuffed' | 'read' | 'peer';
  readonly peer?: PeerRequest;
  readonly callers: readonly LoadCaller[];
  /** Used in turn. */
  readonly targets: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, whatever comes back; absent: each connection asks again once it is answered. */
  readonly rate?: number | undefined;
}

export interface LoadResult {
  readonly answers: number;
  readonly seconds: number;
  /** One for each request, unanswered ones too; at a given rate from the time that it was due. */
  readonly latenciesMs: readonly number[];
  /** Answers by status; 0: the connection broke; `unanswered`. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** The first and the last of a job. */
export type LoadMessage =
  | { readonly event: 'ready' }
  | { readonly event: 'done'; result: LoadResult };
