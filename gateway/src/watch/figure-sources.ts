import type { RecordedAlarms } from '@countersign/runtime/alarms/recorded-alarms.js';
import type { LedgerFollower } from '@countersign/runtime/ledger/ledger-follower.js';
import type { PriceFeed } from '@countersign/runtime/prices/price-feed.js';
import type pg from 'pg';
import type { GovernanceWatch } from '../govern/governance-watch.js';
import type { RateLimits } from '../admission/rate-limits.js';
import type { Dispatcher } from '../sign/dispatcher.js';
import type { Presence } from '../sign/presence.js';
import type { SignQueues } from '../sign/sign-queues.js';
import type { RequestTally } from '../http/request-tally.js';

/** Everything that this process counts or knows. */
export interface FigureSources {
  readonly gatewayId: string;
  readonly startedAt: number;
  readonly follower: LedgerFollower;
  readonly governance: GovernanceWatch;
  readonly dispatcher: Pick<Dispatcher, 'figures'>;
  readonly presence: Pick<Presence, 'isAlive' | 'replicas' | 'pairs'>;
  readonly queues: Pick<SignQueues, 'figures'>;
  readonly prices: Pick<PriceFeed, 'state' | 'newest'>;
  readonly limits: Pick<RateLimits, 'refused'>;
  readonly tally: RequestTally;
  readonly alarms: Pick<RecordedAlarms, 'accuser' | 'counts'>;
  readonly pool: pg.Pool;
  readonly now: () => number;
}
