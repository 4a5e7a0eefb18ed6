import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';

export interface EarlyMessage {
  readonly from: PartyNumber;
  readonly tag: string;
  readonly payload: Bytes;
}

/** Of each party. */
export interface MessageLimits {
  readonly messages: number;
  readonly bytes: number;
}

/**
 * The first message of each party and tag: a second one for the same place would be another face. Of each party as
 * many messages and bytes as the limits say are kept, and what comes beyond them is dropped: whoever says too much
 * takes no other party's place.
 */
export class FirstMessages {
  readonly #limits: MessageLimits;
  readonly #messages = new Map<string, EarlyMessage>();
  readonly #kept = new Map<PartyNumber, MessageLimits>();

  constructor(limits: MessageLimits) {
    this.#limits = limits;
  }

  get(tag: string, from: PartyNumber): Bytes | undefined {
    return this.#messages.get(`${from} ${tag}`)?.payload;
  }

  /** A copy of the payload, or undefined when it was not kept. */
  add(tag: string, from: PartyNumber, payload: Bytes): Bytes | undefined {
    const id = `${from} ${tag}`;
    const { messages, bytes } = this.#kept.get(from) ?? { messages: 0, bytes: 0 };
    if (this.#messages.has(id) || messages >= this.#limits.messages) return undefined;
    if (bytes + payload.length > this.#limits.bytes) return undefined;
    this.#kept.set(from, { messages: messages + 1, bytes: bytes + payload.length });
    const copy = Buffer.from(payload);
    this.#messages.set(id, { from, tag, payload: copy });
    return copy;
  }

  /** All messages in the order they came; none is kept. */
  drain(): EarlyMessage[] {
    const messages = [...this.#messages.values()];
    this.#messages.clear();
    this.#kept.clear();
    return messages;
  }
}
