import type { Bytes } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';

export interface Word {
  readonly from: PartyNumber;
  readonly tag: string;
  readonly payload: Bytes;
}

/**
 * The first message of each party and tag: a second one for the same place would be another face. As many
 * messages and bytes as the limits say are kept, and what comes beyond them is dropped.
 */
export class FirstWords {
  readonly #limits: { readonly messages: number; readonly bytes: number };
  readonly #words = new Map<string, Word>();
  #bytes = 0;

  constructor(limits: { readonly messages: number; readonly bytes: number }) {
    this.#limits = limits;
  }

  get(tag: string, from: PartyNumber): Bytes | undefined {
    return this.#words.get(`${from} ${tag}`)?.payload;
  }

  /** A copy of the payload, or undefined when it was not kept. */
  add(tag: string, from: PartyNumber, payload: Bytes): Bytes | undefined {
    const id = `${from} ${tag}`;
    if (this.#words.has(id) || this.#words.size >= this.#limits.messages) return undefined;
    if (this.#bytes + payload.length > this.#limits.bytes) return undefined;
    this.#bytes += payload.length;
    const copy = Buffer.from(payload);
    this.#words.set(id, { from, tag, payload: copy });
    return copy;
  }

  /** All words in the order they came; none is kept. */
  drain(): Word[] {
    const words = [...this.#words.values()];
    this.#words.clear();
    this.#bytes = 0;
    return words;
  }
}
