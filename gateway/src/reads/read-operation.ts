import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import type { User, VaultState } from '@countersign/vault/state/state.js';
import type { AdminPolicyType } from '@countersign/api/admin-policy-types.js';
import type { RequestTarget } from '@countersign/vault/operations/operation.js';
import type pg from 'pg';
import type { z } from 'zod';
import type { Journal } from '../ledger/journal.js';
import type { KeyProgressReader } from '../requests/key-progress-reader.js';
import type { Cursors } from './cursor.js';

export interface ReadContext {
  /** One consistent picture for the whole answer. */
  readonly state: VaultState;
  readonly caller: User;
  readonly now: number;
  readonly journal: Journal;
  readonly cursors: Cursors;
  readonly pool: pg.Pool;
  readonly evidenceKeys: EvidenceKeys;
  readonly keyProgress: KeyProgressReader;
}

/** A request that changes nothing: answered from the folded state, or from the records in PostgreSQL. */
export interface ReadOperation<QuerySchema extends z.ZodType = z.ZodType> extends RequestTarget {
  readonly id: string;
  readonly summary: string;
  /** What the caller must be allowed; `self`: any known caller. */
  readonly action: AdminPolicyType | 'self';
  readonly query: QuerySchema;
  /** A read that asks with a body is signed like a write. */
  readonly body?: z.ZodType;
  readonly response: z.ZodType;
  /** The answer's body or a Refusal, or a promise of one. */
  handle(
    context: ReadContext,
    input: {
      readonly params: Readonly<Record<string, string>>;
      readonly query: z.output<QuerySchema>;
      readonly body: unknown;
    },
  ): unknown;
}

export function readOperation<Query extends z.ZodType>(
  definition: ReadOperation<Query>,
): ReadOperation {
  return definition as unknown as ReadOperation;
}
