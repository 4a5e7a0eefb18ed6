import { validate } from '@countersign/shared/api/primitives.js';
import { parseQueryString } from '@countersign/shared/api/query-string.js';
import { isRefusal, type Refusal } from '@countersign/shared/errors.js';
import type { User } from '@countersign/shared/ledger/state.js';
import { authorizeAdmin } from '@countersign/shared/policy/admin-policy.js';
import { parseInput } from '@countersign/shared/operations/operation.js';
import type { GatewayDeps } from '../gateway-deps.js';
import type { Answer, Exchange } from '../http/exchange.js';
import type { ReadContext, ReadOperation } from './read-operation.js';

export async function handleReadOperation(
  deps: GatewayDeps,
  operation: ReadOperation,
  { target, params, body }: Exchange,
  caller: User,
): Promise<Answer> {
  const context = readContext(deps, caller);
  const denied = refuseRead(context, operation);
  if (denied !== undefined) return denied;
  const input =
    operation.body === undefined
      ? parseQuery(operation, target.query, params)
      : parseInput(
          { query: operation.query, body: operation.body },
          { params, query: target.query, body },
        );
  if (isRefusal(input)) return input;
  const result = await operation.handle(context, input);
  return isRefusal(result) ? result : { status: 200, body: result };
}

export function readContext(deps: GatewayDeps, caller: User): ReadContext {
  const { journal, cursors, pool, evidenceKeys } = deps;
  const { state } = deps.follower;
  return { state, caller, now: deps.now(), journal, cursors, pool, evidenceKeys };
}

export function refuseRead(
  { state, caller }: ReadContext,
  { action }: Pick<ReadOperation, 'action'>,
): Refusal | undefined {
  if (action === 'self') return undefined;
  const permission = authorizeAdmin(state, caller, action);
  return isRefusal(permission) ? permission : undefined;
}

function parseQuery(
  operation: ReadOperation,
  raw: string,
  params: Readonly<Record<string, string>>,
) {
  const values = parseQueryString(raw);
  if (isRefusal(values)) return values;
  const query = validate(operation.query, values);
  return isRefusal(query) ? query : { params, query, body: {} };
}
