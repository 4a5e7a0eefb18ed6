import { parseQuery } from '@countersign/api/query-string.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { User } from '@countersign/vault/state/state.js';
import { authorizeAdmin } from '@countersign/vault/policy/admin-policy.js';
import { parseInput } from '@countersign/vault/operations/operation-input.js';
import { refuseCaller } from '../requests/refuse-caller.js';
import type { RefusalRecorder } from '../requests/refusal-recorder.js';
import type { Answer, Exchange } from '../admission/exchange.js';
import type { ReadContext, ReadOperation } from './read-operation.js';

/** Dependencies of reads; each request gets a read context made of them. */
export interface ReadDeps extends Omit<
  ReadContext,
  'state' | 'view' | 'caller' | 'now' | 'isGone'
> {
  readonly follower: Pick<LedgerFollower, 'view'>;
  readonly refusals: RefusalRecorder;
  readonly now: () => number;
}

/** Answers a read whose caller is known; a refusal is recorded first. */
export async function handleReadOperation(
  deps: ReadDeps,
  operation: ReadOperation,
  exchange: Exchange,
  caller: User,
): Promise<Answer> {
  const answer = await answerRead(readContext(deps, caller, exchange), operation, exchange);
  return isRefusal(answer)
    ? refuseReader(deps, operation.id, exchange, caller, answer)
    : { status: 200, body: answer };
}

/** Records the refusal under the answer's own `x-request-id`: a read has no request record. */
export function refuseReader(
  deps: ReadDeps,
  action: string,
  { response, params }: Pick<Exchange, 'response' | 'params'>,
  caller: User,
  refusal: Refusal,
): Promise<Refusal> {
  const requestId = String(response.getHeader('x-request-id'));
  return refuseCaller(deps, action, { caller, requestId, params }, refusal);
}

async function answerRead(
  context: ReadContext,
  operation: ReadOperation,
  { target, params, body }: Exchange,
): Promise<unknown> {
  // an operation that is confined to vaults names them in its input
  const denied = operation.vaultIds === undefined ? refuseRead(context, operation) : undefined;
  if (denied !== undefined) return denied;
  const input =
    operation.authentication === 'signed'
      ? parseInput(operation, { params, query: target.query, body })
      : parseReadInput(operation, target.query, params);
  if (isRefusal(input)) return input;
  const vaultIds = operation.vaultIds?.(context.state, input);
  const deniedThere = vaultIds && refuseRead(context, operation, vaultIds);
  return deniedThere ?? operation.handle(context, input);
}

/** The read context of one request: the state stays the same for the whole answer. */
export function readContext(
  deps: ReadDeps,
  caller: User,
  { response }: Pick<Exchange, 'response'>,
): ReadContext {
  const { journal, cursors, pool, results, evidenceKeys, keyProgress, prices, figures } = deps;
  const { view } = deps.follower;
  const { state } = view;
  const now = deps.now();
  const isGone = () => response.destroyed;
  const stores = { journal, cursors, pool, results, evidenceKeys, keyProgress, prices, figures };
  return { state, view, caller, now, isGone, ...stores };
}

/** 403 when the caller may not read this; undefined when it may. */
export function refuseRead(
  { state, caller }: ReadContext,
  { action }: Pick<ReadOperation, 'action'>,
  vaultIds: readonly string[] = [],
): Refusal | undefined {
  if (action === 'self') return undefined;
  const permission = authorizeAdmin(state, caller, action, vaultIds);
  return isRefusal(permission) ? permission : undefined;
}

function parseReadInput(
  operation: ReadOperation,
  raw: string,
  params: Readonly<Record<string, string>>,
) {
  const query = parseQuery(operation.query, raw);
  return isRefusal(query) ? query : { params, query, body: {} };
}
