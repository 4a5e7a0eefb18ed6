/**
 * Finds events, writes down to whom each is to be sent, and sends them. Several notifiers do no harm: they find the
 * same events under the same ids, and take what is to be sent in turns.
 */
import type { DestinationRules } from '@countersign/core/public-destination.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { webhooksOf, type VaultState, type Webhook } from '@countersign/vault/state/state.js';
import { stepAfter, type Attempt } from './deliveries/delivery-schedule.js';
import type { Delivery, DeliveryStore } from './deliveries/delivery-store.js';
import type { EventSigner } from './deliveries/event-signer.js';
import { findDestination, type Resolve } from './deliveries/find-destination.js';
import type { EventPost } from './deliveries/post-event.js';
import type { AlarmSource } from './events/alarm-source.js';
import { eventsOfOutcome } from './events/ledger-events.js';
import { subscribersOf } from './events/subscribers.js';
import { eventBody, type EventPlace, type VaultEvent } from './events/vault-event.js';

/** To one endpoint at once. */
const AT_ONCE = 4;

export interface NotifierDeps {
  readonly state: () => VaultState;
  readonly store: DeliveryStore;
  readonly alarms: AlarmSource;
  readonly signer: EventSigner;
  readonly rules: DestinationRules;
  readonly resolve: Resolve;
  readonly post: (post: EventPost) => Promise<Attempt>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

export interface Notifier {
  /** Every entry of the ledger is to be told here, from its beginning. */
  hear(outcomes: readonly EntryOutcome[]): void;
  /** Writes down what is new, and begins to send what is due. Rejects when the store is away. */
  look(): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export function createNotifier(deps: NotifierDeps): Notifier {
  const { state, store, alarms } = deps;
  /** By id. */
  const ofLedger = new Map<string, VaultEvent>();
  /** Not written down yet. */
  let untaken: VaultEvent[] = [];
  let heardSeq = 0;
  const sending = new Map<string, Promise<void>>();
  const webhooks = () => [...webhooksOf(state()).rows.values()];

  function newDeliveries(events: readonly VaultEvent[]) {
    return events.flatMap((event) =>
      subscribersOf(event, webhooks()).map(({ id }) => ({
        webhook_id: id,
        event_id: event.id,
        event_type: event.type,
        source_seq: event.sourceSeq,
      })),
    );
  }

  async function takeLedger(): Promise<void> {
    const events = [...untaken];
    const seq = heardSeq;
    const position = await store.readPosition('ledger');
    if (seq > position) {
      const fresh = events.filter(({ sourceSeq }) => sourceSeq > position);
      await store.add('ledger', seq, newDeliveries(fresh));
    }
    untaken = untaken.slice(events.length);
  }

  async function takeAlarms(): Promise<void> {
    const events = await alarms.findNew(await store.readPosition('alarm'));
    const last = events.at(-1);
    if (last === undefined) return;
    await store.add('alarm', last.sourceSeq, newDeliveries(events));
    alarms.keep(events);
  }

  /** Rows of the store say which event it was, and never what it says. */
  async function findEvent({ source, sourceSeq, eventId }: EventPlace & { eventId: string }) {
    const event = source === 'ledger' ? ofLedger.get(eventId) : await alarms.find(sourceSeq);
    return event?.id === eventId ? event : undefined;
  }

  async function sendTo(webhook: Webhook): Promise<void> {
    for (;;) {
      const claimed = await store.claim(webhook.id, AT_ONCE);
      if (claimed.length === 0) return;
      await Promise.all(
        claimed.map(async (delivery) => {
          const attempt = await attemptDelivery(deps, webhook, await findEvent(delivery));
          const step = stepAfter(attempt, delivery.attempts + 1, Math.random());
          await store.settle(delivery, step);
        }),
      );
    }
  }

  function beginSending(webhook: Webhook): void {
    if (sending.has(webhook.id)) return;
    const run = sendTo(webhook)
      .catch((error: unknown) =>
        deps.logger.warn({ event: 'delivery_failed', reason: String(error) }, 'delivery failed'),
      )
      .finally(() => sending.delete(webhook.id));
    sending.set(webhook.id, run);
  }

  return {
    hear(outcomes) {
      for (const outcome of outcomes) {
        const events = eventsOfOutcome(outcome);
        for (const event of events) ofLedger.set(event.id, event);
        untaken.push(...events);
        heardSeq = outcome.seq;
      }
    },
    async look() {
      await takeLedger();
      await takeAlarms();
      await store.takeResends();
      for (const id of await store.findDue()) {
        const webhook = webhooksOf(state()).rows.get(id);
        if (webhook === undefined) await store.abandon(id, 'the webhook is deleted');
        else if (webhook.enabled) beginSending(webhook);
      }
    },
    async settled() {
      await Promise.all(sending.values());
    },
  };
}

/** Never rejects: what is wrong with one event or endpoint is told of it alone. */
async function attemptDelivery(
  { rules, resolve, post, signer, state, now }: NotifierDeps,
  webhook: Webhook,
  event: VaultEvent | undefined,
): Promise<Attempt> {
  if (event === undefined) return { kind: 'refused', reason: 'no such event' };
  try {
    const destination = await findDestination(webhook.url, rules, resolve);
    if ('refused' in destination) return { kind: 'refused', reason: destination.refused };
    const body = eventBody(event, state().vaultId);
    const headers = signer.headersOf(event, body, now());
    return await post({ url: webhook.url, address: destination.address, headers, body });
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { kind: 'unanswered', reason: code ?? name };
  }
}
