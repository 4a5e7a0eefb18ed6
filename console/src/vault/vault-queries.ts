/** Reads and changes of the vault for screens: typed by its API, kept fresh by TanStack Query. */
import { useEffect } from 'react';
import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { CallError, CallResult } from '@countersign/client/call-result.js';
import type {
  OperationCalls,
  OperationValue,
  PagedOperationId,
} from '@countersign/client/operation-calls.js';
import type { OperationInput } from '@countersign/client/operation-request.js';
import type { OperationId } from '@countersign/api/operations/api-operations.js';
import { useSession } from '../session/session-store.js';

/** What the vault answered instead: `message` is for people, and text. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
  readonly error: CallError;

  constructor(error: CallError) {
    super(error.errMsg);
    this.error = error;
  }
}

/** The input is checked where the call is made: types that follow from an id which is itself a variable are beyond the compiler. */
type AnyCall = (id: OperationId, input: unknown) => Promise<CallResult<unknown>>;

/** Asked for alike wherever alarms are shown: one answer serves all. */
export const NEWEST_ALARMS = { query: { limit: '20' } };

export interface ReadOptions {
  /** ms between two looks; absent: when the page is looked at again. */
  readonly everyMs?: number;
  /** `false`: not yet. */
  readonly isWanted?: boolean;
  /** Whoever may not look does not ask again and again. */
  readonly stopsWhereRefused?: boolean;
  /** What was read a moment ago for another page will not do. */
  readonly isReadAnew?: boolean;
}

export function useRead<Id extends OperationId>(
  id: Id,
  input: OperationInput<Id>,
  { everyMs = 0, isWanted = true, stopsWhereRefused = false }: ReadOptions = {},
): UseQueryResult<OperationValue<Id>> {
  const { calls } = useSession();
  return useQuery({
    queryKey: [id, input],
    queryFn: async () => unwrap(await (calls.call as AnyCall)(id, input)) as OperationValue<Id>,
    enabled: isWanted,
    refetchInterval: ({ state: { error } }) =>
      everyMs > 0 && !(stopsWhereRefused && isForbidden(error)) && everyMs,
  }) as UseQueryResult<OperationValue<Id>>;
}

type Row<Id extends PagedOperationId> =
  OperationValue<Id> extends { readonly results: readonly (infer Each)[] } ? Each : never;

export interface Rows<Each> {
  readonly rows: readonly Each[];
  readonly query: UseInfiniteQueryResult<unknown>;
}

/** A list of the API as one list of rows, which grows page by page. */
export function useRows<Id extends PagedOperationId>(
  id: Id,
  input: OperationInput<Id>,
  { everyMs = 0, isWanted = true, stopsWhereRefused = false, isReadAnew = false }: ReadOptions = {},
): Rows<Row<Id>> {
  const { calls } = useSession();
  const query = useInfiniteQuery({
    queryKey: [id, 'rows', input],
    queryFn: async ({ pageParam }) => {
      const asked = pageParam === null ? input : withCursor(input, pageParam);
      const page = unwrap(await (calls.call as AnyCall)(id, asked));
      return page as { results: Row<Id>[]; next_cursor: string | null };
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: isWanted,
    ...(isReadAnew && { staleTime: 0 }),
    refetchInterval: ({ state: { error } }) =>
      everyMs > 0 && !(stopsWhereRefused && isForbidden(error)) && everyMs,
  });
  return { rows: query.data?.pages.flatMap(({ results }) => results) ?? [], query };
}

/** As `useRows`, over all pages: for what is chosen from, or has to be known whole. */
export function useAllRows<Id extends PagedOperationId>(
  id: Id,
  input: OperationInput<Id>,
  options: ReadOptions = {},
): Rows<Row<Id>> {
  const list = useRows(id, input, { ...options, isReadAnew: true });
  const { hasNextPage, isFetching, isError, fetchNextPage } = list.query;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return list;
}

/** A change: signed with a passkey when it is called. What is shown of the vault is asked anew after it. */
export function useChange<Value, Input = void>(
  change: (calls: OperationCalls, input: Input) => Promise<CallResult<Value>>,
): UseMutationResult<Value, Error, Input> {
  const { calls } = useSession();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (input: Input) => unwrap(await change(calls, input)),
    onSettled: () => queries.invalidateQueries(),
  });
}

function isForbidden(error: unknown): boolean {
  return error instanceof VaultError && error.error.status === 403;
}

/** Whether the vault took a change and has not made it yet. */
export function isPending(answer: CallResult<unknown>): answer is { ok: false; error: CallError } {
  return !answer.ok && answer.error.errType === 'still_processing';
}

/** The request of which an answer still has to come: it waits, for approvals perhaps. */
export function pendingRequestOf(error: unknown): string | undefined {
  return error instanceof VaultError && error.error.errType === 'still_processing'
    ? error.error.requestId
    : undefined;
}

function unwrap<Value>(result: CallResult<Value>): Value {
  if (result.ok) return result.value;
  throw new VaultError(result.error);
}

function withCursor(input: unknown, cursor: string): unknown {
  const { query, ...rest } = input as { query?: object };
  return { ...rest, query: { ...query, cursor } };
}
