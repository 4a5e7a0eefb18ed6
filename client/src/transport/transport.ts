/** What carries requests to the service: over Node's sockets or a browser's `fetch`. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Bytes } from '@countersign/core/bytes.js';

export interface WireRequest {
  readonly method: string;
  /** Path and query, as they go on the wire. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for none. */
  readonly body: Bytes;
  /** Until the last byte of the answer; the transport's own when absent, and never longer. */
  readonly timeoutMs?: number;
  /**
   * Hears the body of an answer 200 as it comes, whatever its length; its text is then empty, and the time runs anew with
   * each piece. Over Node's sockets alone.
   */
  readonly onBytes?: (bytes: Buffer) => void;
}

export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Transport {
  /** Rejects with ExchangeError when no whole answer comes, and with TypeError when the request is none. */
  exchange(request: WireRequest): Promise<WireAnswer>;
  close(): void;
}

/** `unreachable`: no whole answer came; `bad_answer`: one that cannot be taken in. `message` is for people. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly errType: 'unreachable' | 'bad_answer';

  constructor(errType: 'unreachable' | 'bad_answer', message: string) {
    super(message);
    this.errType = errType;
  }
}
