/**
 * An id is the lower-case UUID that the service gave. In upper case it is accepted nowhere, and the answer says
 * so. What the ledger holds was folded by this rule, and evidence is kept as it was signed: to read other
 * spellings as the same id would give recorded entries another meaning.
 */
import { NO_PRICE_FEED } from '@countersign/runtime/prices/price-feed.js';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { matchPath } from '@countersign/vault/operations/operation-input.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { SIGNING_OPERATIONS } from '@countersign/vault/operations/signing-operations.js';
import { createJournal } from '../gateway/dist/govern/journal.js';
import { createCursors } from '../gateway/dist/read/cursor.js';
import { READ_OPERATIONS } from '../gateway/dist/read-operations.js';
import type { ReadContext } from '../gateway/dist/read/read-operation.js';
import { tellOfDesk } from './support/release-zero-story.ts';
import type { LedgerBuilder } from './support/ledger-builder.ts';
import { actOf, UNKNOWN_ID } from './support/operation-inputs.ts';
import { EXAMPLE_FIGURES } from './support/example-figures.ts';

const HINT = 'no such resource: ids are UUIDs in lower case';

let ledger: LedgerBuilder;
beforeAll(() => {
  ledger = tellOfDesk();
});

/** Of something that there is: only its spelling can be what is wrong. */
function idFor(operationPath: string, param: string): string {
  const { state } = ledger;
  const table = {
    user_id: state.users,
    vault_id: state.vaults,
    key_id: state.keys,
    member_id: state.keys,
    request_id: undefined,
    group_id: operationPath.includes('/user-groups/') ? state.userGroups : state.securityGroups,
    policy_id: operationPath.includes('/admin-policies/')
      ? state.adminPolicies
      : state.signingPolicies,
  }[param];
  if (table === undefined) return ledger.outcomes.findLast((row) => row.subject)!.requestId!;
  return [...table.rows.keys()].find((id) => /[a-f]/.test(id))!;
}

/** Every operation with each of its parameters that is an id. */
const pathsWithIds = <Operation extends { id: string; path: string }>(
  operations: readonly Operation[],
) =>
  operations.flatMap((operation) =>
    [...operation.path.matchAll(/\{(\w+_id)\}/g)].map(
      ([, param = '']) => [operation.id, param, operation] as const,
    ),
  );

/** Parameters that name what there is, but for the one in upper case. */
function paramsWith(path: string, upper: string | undefined): Record<string, string> {
  const names = [...path.matchAll(/\{(\w+_id)\}/g)].map(([, param = '']) => param);
  return Object.fromEntries(
    names.map((param) => {
      const id = idFor(path, param);
      return [param, param === upper ? id.toUpperCase() : id];
    }),
  );
}

describe('an id in upper case in a path', () => {
  it.each(pathsWithIds(LEDGER_OPERATIONS))('is unknown to %s (%s)', (_id, param, operation) => {
    const send = (upper: string | undefined) => {
      const act = actOf(operation, paramsWith(operation.path, upper));
      return ledger.send(ledger.admin, act.method, act.target, act.body).refusal;
    };
    expect(send(param)).toEqual({ refused: 'resource_not_found', message: HINT });
    expect(send(undefined)?.message).not.toBe(HINT);
  });

  it.each(pathsWithIds(SIGNING_OPERATIONS))('is unknown to %s (%s)', (_id, param, operation) => {
    const target = operation.findTarget(ledger.state, {
      address: 'x',
      ...paramsWith(operation.path, param),
    });
    expect(target).toEqual({ refused: 'resource_not_found', message: HINT });
  });

  it.each(pathsWithIds(READ_OPERATIONS))('is unknown to %s (%s)', async (_id, param, operation) => {
    const { state, view, keys, outcomes } = ledger;
    const journal = createJournal();
    journal.append(outcomes);
    const context: ReadContext = {
      state,
      view,
      caller: state.users.rows.get(ledger.admin.id)!,
      now: ledger.now,
      journal,
      cursors: createCursors(Buffer.alloc(32)),
      pool: undefined as never,
      results: { find: async () => undefined, findAll: async () => new Map() },
      evidenceKeys: keys,
      keyProgress: async () => undefined,
      figures: EXAMPLE_FIGURES,
      prices: NO_PRICE_FEED,
      isGone: () => false,
    };
    const read = async (upper: string | undefined) => {
      const params = { address: 'x', ...paramsWith(operation.path, upper) };
      return operation.handle(context, { params, query: {}, body: {} });
    };
    expect(await read(param)).toEqual({ refused: 'resource_not_found', message: HINT });
    const found = await read(undefined);
    if (isRefusal(found)) expect(found.message).not.toBe(HINT);
  });
});

/** Query or body of each operation with every one of its ids, in turn, in upper case. */
const withIds = (part: 'query' | 'body') =>
  LEDGER_OPERATIONS.flatMap((operation) => {
    const act = actOf(operation);
    const text = (part === 'query' ? act.target.split('?')[1] : JSON.stringify(act.body)) ?? '';
    const pieces = text.split(UNKNOWN_ID);
    return pieces.slice(1).map((_piece, nth) => {
      const before = pieces.slice(0, nth + 1).join(UNKNOWN_ID);
      const after = pieces.slice(nth + 1).join(UNKNOWN_ID);
      return [operation.id, nth, before + UNKNOWN_ID.toUpperCase() + after] as const;
    });
  });

function refusalOf(id: string, query: string, body: unknown): Refusal | undefined {
  const operation = LEDGER_OPERATIONS.find((row) => row.id === id)!;
  const params = paramsWith(operation.path, undefined);
  const path = actOf(operation, params).target.split('?')[0]!;
  expect(matchPath(operation.path, path)).toBeDefined();
  return ledger.send(ledger.admin, operation.method, query === '' ? path : `${path}?${query}`, body)
    .refusal;
}

describe('an id in upper case', () => {
  it('is in many queries and bodies', () => {
    expect(withIds('query').length).toBeGreaterThan(7);
    expect(withIds('body').length).toBeGreaterThan(6);
  });

  it.each(withIds('query'))('in the query of %s is 400 (%i)', (id, _nth, query) => {
    expect(refusalOf(id, query, undefined)).toEqual({
      refused: 'parse_error',
      message: expect.stringMatching(
        /must be UUIDs in lower case .*, not "[0-9A-F-]{36}"$/,
      ) as unknown,
    });
  });

  it.each(withIds('body'))('in the body of %s is 422 (%i)', (id, _nth, body) => {
    expect(refusalOf(id, '', JSON.parse(body))).toEqual({
      refused: 'invalid_inputs',
      message: expect.stringMatching(/: must be a UUID in lower case$/) as unknown,
    });
  });
});
