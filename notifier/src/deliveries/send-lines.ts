/** Sends what is due. Each webhook has its own line, so that one that does not answer holds up no other. */
import type { DestinationRules } from '@countersign/core/public-destination.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { webhooksOf, type VaultState, type Webhook } from '@countersign/vault/state/state.js';
import { eventBody, type VaultEvent } from '../events/vault-event.js';
import { linkOf, noticeOf, type Notice } from '../formats/notice.js';
import { letterOf } from '../formats/mail.js';
import { isOfService, messageFor, type ServiceTarget, type Targets } from '../formats/targets.js';
import { stepAfter, type Attempt } from './delivery-schedule.js';
import type { Delivery, DeliveryStore } from './delivery-store.js';
import type { EventSigner } from './event-signer.js';
import { findDestination, type Resolve } from './find-destination.js';
import type { EventPost } from './post-event.js';
import type { Mailing } from './send-mail.js';

/** Concurrent requests to one endpoint. */
const AT_ONCE = 4;

export interface SendDeps {
  readonly store: Pick<DeliveryStore, 'claim' | 'settle'>;
  readonly signer: EventSigner;
  readonly rules: DestinationRules;
  readonly resolve: Resolve;
  readonly post: (post: EventPost) => Promise<Attempt>;
  readonly mail: (mailing: Mailing) => Promise<Attempt>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
  readonly state: () => VaultState;
  readonly targets: Targets;
  /** Address of the console, with a slash at its end. Absent: no event has a link. */
  readonly consoleUrl?: string | undefined;
  /** Undefined for an event that did not happen, whatever a row says. */
  readonly findEvent: (delivery: Delivery) => Promise<VaultEvent | undefined>;
}

export interface SendLines {
  /** Sends everything due for the webhook, as long as it is there and enabled, unless that is under way. */
  begin(webhookId: string): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
}

export function createSendLines(deps: SendDeps): SendLines {
  const { store, findEvent, logger } = deps;
  const running = new Map<string, Promise<void>>();

  async function deliver(webhook: Webhook, delivery: Delivery): Promise<void> {
    const attempt = await attemptDelivery(deps, webhook, await findEvent(delivery));
    await store.settle(delivery, stepAfter(attempt, delivery.attempts + 1, Math.random()));
  }

  async function sendAll(id: string): Promise<void> {
    for (;;) {
      // anew each time: it may be disabled, deleted or at another address since
      const webhook = webhooksOf(deps.state()).rows.get(id);
      if (webhook?.enabled !== true) return;
      const claimed = await store.claim(id, AT_ONCE);
      if (claimed.length === 0) return;
      await Promise.all(claimed.map((delivery) => deliver(webhook, delivery)));
    }
  }

  return {
    begin(id) {
      if (running.has(id)) return;
      const run = sendAll(id)
        .catch((error: unknown) =>
          logger.warn({ event: 'delivery_failed', reason: String(error) }, 'delivery failed'),
        )
        .finally(() => running.delete(id));
      running.set(id, run);
    },
    async settled() {
      await Promise.all(running.values());
    },
  };
}

/** Never rejects: a fault of one event or endpoint is recorded for it alone. */
async function attemptDelivery(
  deps: SendDeps,
  webhook: Webhook,
  event: VaultEvent | undefined,
): Promise<Attempt> {
  const { rules, resolve, targets } = deps;
  if (event === undefined) return { kind: 'refused', reason: 'no such event' };
  const target = targets.get(webhook.id);
  if (target !== undefined && !isOfService(target, webhook.url)) {
    return {
      kind: 'refused',
      reason: `url: is not of ${target.format}, whose secret is for it alone`,
    };
  }
  try {
    const destination = await findDestination(webhook.url, rules, resolve);
    if ('refused' in destination) return { kind: 'refused', reason: destination.refused };
    return await sendTo(deps, webhook, event, destination.address);
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return { kind: 'unanswered', reason: code ?? name };
  }
}

/** In the form of whom the webhook speaks to, or the vault's own, which is signed. */
function sendTo(
  deps: SendDeps,
  { id, url }: Webhook,
  event: VaultEvent,
  address: string,
): Promise<Attempt> {
  const { state, targets, consoleUrl, signer, now, post, mail } = deps;
  const target = targets.get(id);
  if (target === undefined) {
    const body = eventBody(event, state().vaultId, linkOf(event.data, consoleUrl));
    return post({ url, address, headers: signer.headersOf(event, body, now()), body });
  }
  const notice = noticeOf(event, state(), consoleUrl);
  if (target.format === 'mail')
    return mail({ ...target, ...letterOf(target, notice, event), address });
  return post({ ...serviceContent(target, notice, event, url), address });
}

function serviceContent(
  target: ServiceTarget,
  notice: Notice,
  event: VaultEvent,
  url: string,
): Omit<EventPost, 'address'> {
  const { path, body } = messageFor(target, notice, event);
  return {
    url: new URL(path, url).href,
    headers: { 'content-type': 'application/json', 'user-agent': 'countersign' },
    body: JSON.stringify(body),
  };
}
