import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from '@countersign/core/errors.js';
import type { Admission } from './authenticate-request.js';
import type { RawTarget } from '../http/raw-target.js';
import type { StageClock } from '@countersign/runtime/tracing/stage-clock.js';

/** One request whose target and body have been read. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: RawTarget;
  readonly body: Buffer;
  readonly params: Readonly<Record<string, string>>;
}

/** A request whose caller is known and whose nonce is burnt. */
export interface SignedExchange extends Exchange, Admission {
  /** When its head was read, ms. */
  readonly arrivedAt: number;
  /** What this gateway notes of its time. */
  readonly stages: StageClock;
  /** Under which span its picture is drawn, if one is: `traceparent`. */
  readonly trace?: string;
}

/** A handler's answer: one place sends it. */
export type Answer =
  | Refusal
  /** `requestId`: the earlier request whose answer this is. */
  | { readonly status: 200; readonly body: unknown; readonly requestId?: string }
  /** `awaits`: the approvals that it waits for; absent if it waits for no people. */
  | { readonly status: 202; readonly requestId: string; readonly awaits?: AwaitedApprovals };

export interface AwaitedApprovals {
  readonly required: number;
  /** Ids of users, in order. */
  readonly given: readonly string[];
}
