import type { EvidenceKeys } from '@countersign/shared/evidence-key.js';
import type { LedgerFollower } from '@countersign/shared/ledger/ledger-follower.js';
import type { Logger } from '@countersign/shared/logger.js';
import type pg from 'pg';
import type { RefusalRecorder } from './audit/refusal-recorder.js';
import type { NonceStore } from './authentication/nonce-store.js';
import type { Journal } from './journal.js';
import type { Cursors } from './reads/cursor.js';
import type { KeyProgressReader } from './requests/key-progress.js';
import type { IdempotencyStore } from './requests/idempotency.js';
import type { Dispatcher } from './signing/dispatcher.js';
import type { SigningRequests } from './signing/signing-requests.js';
import type { LedgerWriter } from './writes/ledger-writer.js';

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
