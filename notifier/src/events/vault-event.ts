/** An event as receivers are told of it: ids, kinds and times, and no secret. */
import type { EventType } from '@countersign/api/requests/webhooks.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';

/** Version of the headers and body; docs/reference/events.md. */
export const CONTRACT_VERSION = 1;

/** The place at which an event was found, and can be found again: waiting deliveries refer to it. */
export interface EventPlace {
  readonly source: 'ledger' | 'alarm';
  /** Sequence number of the entry, or the number of the alarm's row. */
  readonly sourceSeq: number;
}

export interface VaultEvent extends EventPlace {
  /** Identical in every process that finds the event, and at every attempt. */
  readonly id: string;
  readonly type: EventType;
  /** ms. */
  readonly at: number;
  /** When the vault came to know of it, ms, where `at` is the word of a clock that may be wrong. */
  readonly knownAt?: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** `what`: identifies the event among those of its type. */
export function eventId(type: EventType, ...what: readonly (string | Uint8Array)[]): string {
  const parts = what.map((part) => sha256(part));
  return uuidFromHash(sha256('countersign event v1', sha256(type), ...parts));
}

/** The body that is sent. `link`: the console's page of the event's request. */
export function eventBody(
  { id, type, at, data }: VaultEvent,
  vaultId: string,
  link?: string,
): string {
  return JSON.stringify({
    id,
    type,
    contract_version: CONTRACT_VERSION,
    vault_id: vaultId,
    at: new Date(at).toISOString(),
    data: { ...data, ...(link !== undefined && { link }) },
  });
}
