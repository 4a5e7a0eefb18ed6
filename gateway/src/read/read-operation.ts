import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import type { User, VaultState } from '@countersign/vault/state/state.js';
import type { AdminPolicyType } from '@countersign/api/requests/admin-policy-types.js';
import type { ApiOperation } from '@countersign/api/operation.js';
import type { HttpMethod } from '@countersign/api/requests/api-request.js';
import type { PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import type pg from 'pg';
import type * as s from '@countersign/core/shapes.js';
import type { Journal } from '../govern/journal.js';
import type { KeyProgressReader } from '../requests/key-progress-reader.js';
import type { CheckedResults } from '../requests/checked-results.js';
import type { SystemFigures } from '../watch/system-figures.js';
import type { Cursors } from './cursor.js';

export interface ReadContext {
  /** The same as `view.state`: one consistent picture for the whole answer. */
  readonly state: VaultState;
  readonly view: LedgerView;
  readonly caller: User;
  readonly now: number;
  readonly journal: Journal;
  readonly cursors: Cursors;
  readonly pool: pg.Pool;
  readonly results: Pick<CheckedResults, 'find' | 'findAll'>;
  readonly evidenceKeys: EvidenceKeys;
  readonly keyProgress: KeyProgressReader;
  readonly figures: Pick<SystemFigures, 'read' | 'readHistory'>;
  readonly prices: Pick<PriceFeed, 'current'>;
  /** Whether nobody waits for the answer any more. */
  readonly isGone: () => boolean;
}

interface ReadInput<QuerySchema extends s.AnyShape, BodySchema extends s.AnyShape> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: s.OutputOf<QuerySchema>;
  readonly body: s.OutputOf<BodySchema>;
}

/** A request that changes nothing. It is answered from the folded state, or from the records in PostgreSQL. */
export interface ReadOperation<
  QuerySchema extends s.AnyShape = s.AnyShape,
  BodySchema extends s.AnyShape = s.AnyShape,
> extends ApiOperation<
  string,
  HttpMethod,
  string,
  AdminPolicyType | 'self',
  QuerySchema,
  BodySchema
> {
  /** The vaults that it is confined to. If absent, the caller's action must be allowed everywhere. */
  vaultIds?(state: VaultState, input: ReadInput<QuerySchema, BodySchema>): readonly string[];
  /** The answer's body or a Refusal, or a promise of one. */
  handle(context: ReadContext, input: ReadInput<QuerySchema, BodySchema>): unknown;
}

/** Checks a definition against its own schemas, and widens its type to that of any read. */
export function readOperation<Query extends s.AnyShape, Body extends s.AnyShape>(
  definition: ReadOperation<Query, Body>,
): ReadOperation {
  return definition as unknown as ReadOperation;
}
