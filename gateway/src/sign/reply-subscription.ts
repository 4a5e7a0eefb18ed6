/** The parties' replies to this gateway, as Redis brings them. */
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { replyChannel } from '@countersign/runtime/jobs/names.js';
import { openReply, type SignReply } from '@countersign/runtime/jobs/sign-outcome.js';
import type { Alarms } from '@countersign/runtime/alarms/alarms.js';
import { subscribeWhenReady } from '@countersign/runtime/process/subscribe-when-ready.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import type { Redis } from 'ioredis';

export interface ReplySubscription {
  /** A connection that is used for subscriptions only. */
  readonly subscriber: Pick<Redis, 'on' | 'once' | 'status' | 'subscribe'>;
  readonly gatewayId: string;
  readonly keys: EvidenceKeys;
  readonly logger: Logger;
  readonly alarms: Alarms;
  readonly receive: (reply: SignReply) => void;
}

/**
 * Opens what arrives on this gateway's channel and hands it on. Anybody who reaches Redis can publish there: what was
 * not sealed for this gateway is logged and dropped. `receive` must check what a reply says. The subscription ends with
 * its connection.
 */
export function subscribeToReplies(options: ReplySubscription): void {
  const { subscriber, gatewayId, keys, logger, alarms, receive } = options;
  subscriber.on('messageBuffer', (_channel: Buffer, message: Buffer) => {
    try {
      receive(openReply(message, gatewayId, keys));
    } catch (error) {
      const reason = String(error);
      // the seal is good but holds no reply: no honest holder of the evidence key made it
      if (error instanceof RangeError) return alarms.raise({ kind: 'forged_result', reason });
      logger.warn({ event: 'reply_refused', reason }, 'unreadable reply dropped');
    }
  });
  // not awaited: a gateway must start, answer reads and freeze while Redis is away
  void subscribeWhenReady(subscriber, replyChannel(gatewayId), (error) =>
    logger.error({ event: 'subscribe_failed', reason: String(error) }, 'no replies come'),
  );
}
