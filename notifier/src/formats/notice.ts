/** What an event says to people: who asks for what, and where to look. It leads to the console and decides nothing. */
import type { EventType } from '@countersign/api/requests/webhooks.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import type { VaultEvent } from '../events/vault-event.js';

export interface Notice {
  readonly text: string;
  /** The console's page of the request. Absent for an event of no request, and where no console is named. */
  readonly link?: string;
}

type Words = (who: string, what: string) => string;

const WORDS: Readonly<Record<EventType, Words>> = {
  'request.awaiting_approval': (who, what) => `${who} asks for "${what}". It waits for approvals.`,
  'request.approved': (who) => `${who} gave the last approval that was missing.`,
  'request.rejected': (who) => `${who} rejected the request.`,
  'request.cancelled': (who) => `${who} cancelled the request.`,
  'request.expired': () => 'The request expired: its approvals did not come in time.',
  'request.completed': (who, what) => `"${what}" of ${who} took effect.`,
  'request.failed': (who, what) => `"${what}" of ${who} was refused.`,
  'freeze.changed': (who, what) => `${who} did "${what}".`,
  'policy.changed': (who, what) => `${who} did "${what}".`,
  'webhook.changed': (who, what) => `${who} did "${what}".`,
  'key.created': () => 'A key was made.',
  'key.failed': () => 'A key could not be made.',
  'alarm.raised': (_who, what) => `Alarm: ${what}.`,
};

/** `consoleUrl`: ends with a slash. */
export function noticeOf(
  { type, data }: Pick<VaultEvent, 'type' | 'data'>,
  { vaultId, users }: Pick<VaultState, 'vaultId' | 'users'>,
  consoleUrl: string | undefined,
): Notice {
  const { by, operation, kind } = data;
  const user = users.rows.get(String(by));
  const who = user === undefined ? 'Somebody' : plainName(user.displayName);
  const what = [operation, kind].find((word) => typeof word === 'string') ?? 'something';
  const link = linkOf(data, consoleUrl);
  return {
    text: `Countersign, vault ${vaultId.slice(0, 8)}: ${WORDS[type](who, what.replaceAll(/[-_]/g, ' '))}`,
    ...(link !== undefined && { link }),
  };
}

/** The console's page of the event's request. */
export function linkOf(
  { request_id: requestId }: VaultEvent['data'],
  consoleUrl: string | undefined,
): string | undefined {
  if (consoleUrl === undefined || typeof requestId !== 'string') return undefined;
  return new URL(`requests/${encodeURIComponent(requestId)}`, consoleUrl).href;
}

/** Users choose their names: none can be a link, a mention or markup beside the true link. */
function plainName(name: string): string {
  return name.slice(0, 64).replaceAll(/[^\p{L}\p{M}\p{N} '()-]/gu, '·');
}
