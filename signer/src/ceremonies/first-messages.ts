import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';

export interface EarlyMessage {
  readonly from: PartyNumber;
  readonly tag: string;
  readonly payload: Bytes;
}

/** Limits for each party. */
export interface MessageLimits {
  readonly messages: number;
  readonly bytes: number;
}

/**
 * Keeps the first message of each party and tag: a second one could contradict what others were told. It keeps as many
 * messages and bytes of each party as the limits say and drops the rest, so that a party that says too much takes no
 * other's place.
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

  /** Returns a copy of the payload, or undefined when it was not kept. */
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

  /** Returns all messages in the order they came, and keeps none. */
  drain(): EarlyMessage[] {
    const messages = [...this.#messages.values()];
    this.#messages.clear();
    this.#kept.clear();
    return messages;
  }
}
