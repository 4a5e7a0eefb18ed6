import type { EvidenceKeys } from '@countersign/core/evidence-key.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type pg from 'pg';
import type { RefusalRecorder } from './refusals/refusal-recorder.js';
import type { NonceStore } from './authentication/nonce-store.js';
import type { Journal } from './ledger/journal.js';
import type { Cursors } from './reads/cursor.js';
import type { KeyProgressReader } from './requests/key-progress-reader.js';
import type { IdempotencyStore } from './requests/idempotency.js';
import type { Dispatcher } from './signing/dispatcher.js';
import type { SigningRequests } from './signing/signing-requests.js';
import type { LedgerWriter } from './ledger/ledger-writer.js';

/** What the HTTP handlers work with; made once in main. */
export interface GatewayDeps {
  readonly follower: LedgerFollower;
  readonly journal: Journal;
  readonly ledger: LedgerWriter;
  readonly dispatcher: Dispatcher;
  readonly signingRequests: SigningRequests;
  readonly nonces: NonceStore;
  readonly refusals: RefusalRecorder;
  readonly idempotency: IdempotencyStore;
  readonly cursors: Cursors;
  readonly pool: pg.Pool;
  readonly evidenceKeys: EvidenceKeys;
  readonly keyProgress: KeyProgressReader;
  readonly logger: Logger;
  readonly now: () => number;
}
