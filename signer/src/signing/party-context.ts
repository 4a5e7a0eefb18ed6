import type { BoundedMap } from '@countersign/core/bounded-map.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import type { Replica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { PartyMessage } from '../channel/messages.js';
import type { Limits } from '../limits/limits.js';
import type { NonceStore } from '../records/venue-nonce-store.js';
import type { RecordWriter } from '../records/record-writer.js';
import type { ShareStore } from '../records/share-store.js';
import type { HeadTrust } from '../party/head-trust.js';
import type { SeenHeads } from '../party/seen-heads.js';
import type { ThreadPools } from '../threads/thread-pools.js';
import type { VerifyParty } from '@countersign/api/signed-tree.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import type { RequestMemory } from '../requests/request-memory.js';
import type { DeniedBatches } from './all-or-none.js';
import type { GivenContributions } from './given-contributions.js';
import type { ReleaseGate } from './release-gate.js';
import type { SigningLog } from './signing-log.js';

/** What both roles of a signing party work with. */
export interface PartyContext {
  readonly self: Replica;
  readonly follower: LedgerFollower;
  /** Which heads this party's primary replica has pinned. */
  readonly trust: HeadTrust;
  /** Which heads are too old to be signed over. */
  readonly heads: SeenHeads;
  readonly gate: ReleaseGate;
  readonly given: GivenContributions;
  readonly threads: ThreadPools;
  readonly shares: ShareStore;
  readonly nonces: NonceStore;
  readonly records: RecordWriter;
  readonly limits: Limits;
  /** Prices in USD, as this process knows them. */
  readonly prices: PriceFeed;
  /** The requests that this process contributed to. */
  readonly requests: RequestMemory;
  /**
   * Requests whose denial is on record: it is recorded once. A request that one party alone denies is tried again and
   * again while it lives.
   */
  readonly recordedDenials: BoundedMap<string, true>;
  readonly deniedBatches: DeniedBatches;
  readonly verifyParty: VerifyParty;
  readonly alarms: Alarms;
  readonly evidenceKeys: EvidenceKeys;
  readonly logger: Logger;
  readonly signingLog: SigningLog;
  readonly now: () => number;
  /** ms; see `openLeaseClock`. */
  readonly leaseClock: () => number;
  send(to: Replica, message: PartyMessage): Promise<void>;
}
