/** Keeps messages of one run that wait for being asked for, and askers that wait for messages. */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { ABORT_TAG } from './generation-channel.js';

/** An honest party is never ahead by more: whatever exceeds the limits comes from one that floods. */
const MAX_WAITING_PER_PARTY = 64;
const MAX_MESSAGE_BYTES = 262_144;
const MAX_TAG_LENGTH = 64;

interface Asker {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

export interface Mailbox {
  /** Takes an arriving message. The first of a sender and tag counts; an `abort` fails the mailbox. */
  deliver(from: PartyNumber, tag: string, bytes: Uint8Array): void;
  /** Returns the message of `from` under `tag`, once it is there. Rejects when the mailbox fails. */
  receive(from: PartyNumber, tag: string): Promise<Uint8Array>;
  /** Rejects everything asked for, now and later. The first error counts. */
  fail(error: Error): void;
}

export function createMailbox(): Mailbox {
  const messages = new WaitingMessages();
  const askers = new Map<string, Asker>();
  let failure: Error | undefined;

  function fail(error: Error): void {
    failure ??= error;
    for (const asker of askers.values()) asker.reject(failure);
    askers.clear();
  }

  return {
    fail,
    deliver(from, tag, bytes) {
      if (tag === ABORT_TAG) {
        fail(new RsaGenerationError('peer-aborted', `party ${from} gave up`, { party: from }));
        return;
      }
      if (!messages.isFirst(from, tag)) return;
      const place = placeOf(from, tag);
      const asker = askers.get(place);
      if (asker !== undefined) {
        askers.delete(place);
        messages.noteTaken(from, tag);
        asker.resolve(bytes);
      } else if (!messages.keep(from, tag, bytes)) {
        fail(new RsaGenerationError('malformed', `party ${from} floods`, { party: from }));
      }
    },
    receive(from, tag) {
      if (failure !== undefined) return Promise.reject(failure);
      const bytes = messages.take(from, tag);
      if (bytes !== undefined) return Promise.resolve(bytes);
      return new Promise((resolve, reject) => {
        askers.set(placeOf(from, tag), { resolve, reject });
      });
    },
  };
}

/** Keeps the first message of each party and tag, until it is taken. */
class WaitingMessages {
  readonly #waiting = new Map<PartyNumber, Map<string, Uint8Array>>(
    PARTY_NUMBERS.map((party) => [party, new Map()]),
  );
  readonly #taken = new Set<string>();

  /** Whether a party of the vault says this for the first time. */
  isFirst(from: PartyNumber, tag: string): boolean {
    const messages = this.#waiting.get(from);
    return messages !== undefined && !messages.has(tag) && !this.#taken.has(placeOf(from, tag));
  }

  /** Returns false for what no honest party sends: too much, too long, or too long a name. */
  keep(from: PartyNumber, tag: string, bytes: Uint8Array): boolean {
    const messages = this.#waiting.get(from)!;
    const isFlood =
      messages.size >= MAX_WAITING_PER_PARTY ||
      bytes.length > MAX_MESSAGE_BYTES ||
      tag.length > MAX_TAG_LENGTH;
    if (!isFlood) messages.set(tag, bytes);
    return !isFlood;
  }

  take(from: PartyNumber, tag: string): Uint8Array | undefined {
    const messages = this.#waiting.get(from);
    const bytes = messages?.get(tag);
    if (bytes === undefined) return undefined;
    messages?.delete(tag);
    this.noteTaken(from, tag);
    return bytes;
  }

  /** The message went to an asker without waiting. */
  noteTaken(from: PartyNumber, tag: string): void {
    this.#taken.add(placeOf(from, tag));
  }
}

function placeOf(from: PartyNumber, tag: string): string {
  return `${from} ${tag}`;
}
