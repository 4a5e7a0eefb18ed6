/**
 * Finds events, records their receivers, and sends them. Several notifiers do no harm: they find the same events under
 * the same ids, and share the deliveries.
 */
import type { EntryOutcome } from '@countersign/vault/ledger/entry-outcome.js';
import { webhooksOf, type VaultState } from '@countersign/vault/state/state.js';
import type { Delivery, DeliveryStore, NewDelivery } from './deliveries/delivery-store.js';
import { createSendLines, type SendDeps } from './deliveries/send-lines.js';
import type { AlarmSource } from './events/alarm-source.js';
import { createLedgerSource, type LedgerSource } from './events/ledger-source.js';
import { subscribersOf } from './events/subscribers.js';
import type { VaultEvent } from './events/vault-event.js';

export interface NotifierDeps extends Omit<SendDeps, 'store' | 'findEvent'> {
  readonly store: DeliveryStore;
  readonly alarms: AlarmSource;
  /** A monotonic clock, ms: one that was set back would hide for as long that nothing is looked for. */
  readonly elapsed: () => number;
  /** How long the outcome of an event is kept, days. */
  readonly keptDays: number;
}

/** How often old deliveries are looked for. */
const FORGET_EVERY_MS = 3_600_000;

export interface Notifier {
  /** Must be told of every entry of the ledger, from its beginning. */
  hear(outcomes: readonly EntryOutcome[]): void;
  /** Stores new events, and begins to send what is due. Rejects when the store is away. */
  look(): Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  readonly figures: NotifierFigures;
}

export interface NotifierFigures {
  /** End of the last complete look, by the monotonic clock, ms; undefined before the first. */
  readonly lookedAt: number | undefined;
  /** Webhooks that had events to send then. */
  readonly due: number;
}

export function createNotifier(deps: NotifierDeps): Notifier {
  const { state, store, alarms } = deps;
  const forgetOld = createForgetting(deps);
  const ledger = createLedgerSource();
  const lines = createSendLines({
    ...deps,
    // the store's rows identify an event, but its content is never taken from them
    async findEvent({ source, sourceSeq, eventId }: Delivery) {
      const event = source === 'ledger' ? ledger.find(eventId) : await alarms.find(sourceSeq);
      return event?.id === eventId ? event : undefined;
    },
  });
  let figures: NotifierFigures = { lookedAt: undefined, due: 0 };
  return {
    get figures() {
      return figures;
    },
    hear: (outcomes) => ledger.hear(outcomes),
    async look() {
      await takeLedger(deps, ledger);
      await takeAlarms(deps);
      await store.takeResends();
      const due = await store.findDue();
      for (const id of due) {
        const webhook = webhooksOf(state()).rows.get(id);
        if (webhook === undefined) await store.abandon(id, 'the webhook is deleted');
        else if (webhook.enabled) lines.begin(id);
      }
      await forgetOld();
      figures = { lookedAt: deps.elapsed(), due: due.length };
    },
    settled: () => lines.settled(),
  };
}

/** Deletes everything too old from time to time, in small steps. */
function createForgetting({ store, keptDays, elapsed }: NotifierDeps): () => Promise<void> {
  let next = -Infinity;
  return async () => {
    if (elapsed() < next) return;
    while ((await store.forget(keptDays)) > 0);
    next = elapsed() + FORGET_EVERY_MS;
  };
}

async function takeLedger({ state, store }: NotifierDeps, ledger: LedgerSource): Promise<void> {
  const { events, seq } = ledger.untaken();
  const position = await store.readPosition('ledger');
  if (seq > position) {
    const fresh = events.filter(({ sourceSeq }) => sourceSeq > position);
    await store.add('ledger', seq, newDeliveries(fresh, state()));
  }
  ledger.forget(events.length);
}

async function takeAlarms({ state, store, alarms }: NotifierDeps): Promise<void> {
  const events = await alarms.findNew(await store.readPosition('alarm'));
  const last = events.at(-1);
  if (last === undefined) return;
  await store.add('alarm', last.sourceSeq, newDeliveries(events, state()));
  alarms.keep(events);
}

function newDeliveries(events: readonly VaultEvent[], state: VaultState): NewDelivery[] {
  const webhooks = [...webhooksOf(state).rows.values()];
  return events.flatMap((event) =>
    subscribersOf(event, webhooks).map(({ id }) => ({
      webhook_id: id,
      event_id: event.id,
      event_type: event.type,
      source_seq: event.sourceSeq,
    })),
  );
}
