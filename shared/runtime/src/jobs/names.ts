/** Names of everything that gateways and parties share in Redis and PostgreSQL. */
import { replicaId, type Replica } from './replica.js';

/** A signing job older than this expires and is never signed late. */
export const SIGN_TIME_TO_LIVE_MS = 30_000;
/** A lead may need this long after a job's expiry to commit what it signed in time. */
export const SIGN_SETTLES_MS = 10_000;

export const MAX_BATCH = 64;

/** A hash of `presenceEntry`s, renewed every second. A hint, never an authority. */
export const PRESENCE_KEY = 'countersign:presence';
export const PRESENCE_TTL_MS = 3_000;

export const LEDGER_CHANNEL = 'countersign_ledger';

/** The same after restarts. BullMQ adds its own prefix, and refuses `:` in a queue's name. */
export function signQueueName({ party, name }: Pick<Replica, 'party' | 'name'>): string {
  return `countersign.sign.party_${party}.${name}`;
}

/** Tells the replica of freezes to look for in the ledger. */
export function freezeQueueName({ party, name }: Pick<Replica, 'party' | 'name'>): string {
  return `countersign.freeze.party_${party}.${name}`;
}

/** Holds keys that the ledger asks for; the party that calls their ceremonies reads it. */
export const KEY_GENERATION_QUEUE = 'countersign.key-generation';

/** The party that owns the queue; undefined if the name is no queue's. */
export function partyOfQueue(
  name: string,
): { readonly party: number; readonly name: string } | undefined {
  const match = /^countersign\.sign\.party_([123])\.(.+)$/.exec(name);
  return match === null ? undefined : { party: Number(match[1]), name: match[2]! };
}

export function replyChannel(gatewayId: string): string {
  return `countersign:reply:${gatewayId}`;
}

export function partyChannel(replica: Replica): string {
  return `countersign:party:${replicaId(replica)}`;
}
