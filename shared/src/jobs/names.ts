/** Names of everything that gateways and parties share in Redis and PostgreSQL. */
import type { Replica } from './sign-batch.js';

/** A signing job older than this expires and is never signed late. */
export const SIGN_TIME_TO_LIVE_MS = 30_000;

export const MAX_BATCH = 64;

/** A hash: replica id -> {@link encodePresence}, renewed every second. A hint, never an authority. */
export const PRESENCE_KEY = 'countersign:presence';
export const PRESENCE_TTL_MS = 3_000;

export const LEDGER_CHANNEL = 'countersign_ledger';

/** BullMQ adds its own prefix, and refuses `:` in a queue's name. */
export function signQueueName(replica: Replica): string {
  return `countersign.sign.party_${replica.party}.${replica.name}`;
}

export function replyChannel(gatewayId: string): string {
  return `countersign:reply:${gatewayId}`;
}

export function partyChannel(replica: Replica): string {
  return `countersign:party:${replicaId(replica)}`;
}

export function replicaId(replica: Replica): string {
  return `${replica.party}:${replica.name}`;
}

export function parseReplicaId(text: string): Replica | undefined {
  const match = /^([123]):([A-Za-z0-9-]{1,64})$/.exec(text);
  if (match === null) return undefined;
  return { party: Number(match[1]) as Replica['party'], name: match[2]! };
}
