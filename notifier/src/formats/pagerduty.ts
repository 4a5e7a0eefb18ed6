/**
 * An event for PagerDuty's Events API v2 (developer.pagerduty.com/docs/send-alert-event). What waits opens an incident,
 * and its end resolves it.
 */
import type { EventType } from '@countersign/api/requests/webhooks.js';
import type { VaultEvent } from '../events/vault-event.js';
import type { Message } from './message.js';
import type { Notice } from './notice.js';

export interface PagerDutyTarget {
  readonly format: 'pagerduty';
  /** Of a service's integration: whoever knows it can open incidents there. */
  readonly routing_key: string;
}

/** After these nobody is waited for. */
const ENDS: readonly EventType[] = [
  ...(['request.approved', 'request.rejected', 'request.cancelled', 'request.expired'] as const),
];
const SEVERITIES: Partial<Record<EventType, 'critical' | 'warning'>> = {
  'alarm.raised': 'critical',
  'request.awaiting_approval': 'warning',
};

export function pagerDutyMessage(
  { routing_key }: PagerDutyTarget,
  { text, link }: Notice,
  { id, type, at, data }: Pick<VaultEvent, 'id' | 'type' | 'at' | 'data'>,
): Message {
  const isEnd = ENDS.includes(type);
  const isOfWait = isEnd || type === 'request.awaiting_approval';
  return {
    path: '/v2/enqueue',
    body: {
      routing_key,
      event_action: isEnd ? 'resolve' : 'trigger',
      dedup_key: isOfWait ? String(data['request_id']) : id,
      payload: {
        summary: text,
        source: 'countersign',
        severity: SEVERITIES[type] ?? 'info',
        timestamp: new Date(at).toISOString(),
        class: type,
      },
      ...(link !== undefined && { links: [{ href: link, text: 'The request in the console' }] }),
    },
  };
}
