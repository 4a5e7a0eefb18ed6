/** Messages of one run that wait for being asked for, and askers that wait for messages. */
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { ABORT_TAG } from './generation-channel.js';

/** More than an honest party is ever ahead: what is over the limits comes from one that floods. */
const MAX_WAITING_PER_PARTY = 64;
const MAX_MESSAGE_BYTES = 262_144;
const MAX_TAG_LENGTH = 64;

interface Asker {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

export interface Mailbox {
  /** An arriving message. The first of a sender and tag counts; an `abort` fails the mailbox. */
  deliver(from: PartyNumber, tag: string, bytes: Uint8Array): void;
  /** The message of `from` under `tag`, once it is there. Rejects when the mailbox fails. */
  receive(from: PartyNumber, tag: string): Promise<Uint8Array>;
  /** Rejects everything asked for, now and later. The first error counts. */
  fail(error: Error): void;
}

export function createMailbox(): Mailbox {
  const waiting = new Map<PartyNumber, Map<string, Uint8Array>>(
    PARTY_NUMBERS.map((party) => [party, new Map()]),
  );
  const taken = new Set<string>();
  const askers = new Map<string, Asker>();
  let failure: Error | undefined;

  const keyOf = (from: PartyNumber, tag: string): string => `${from} ${tag}`;

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
      const key = keyOf(from, tag);
      const messages = waiting.get(from);
      if (messages === undefined || messages.has(tag) || taken.has(key)) return;
      const asker = askers.get(key);
      if (asker !== undefined) {
        askers.delete(key);
        taken.add(key);
        asker.resolve(bytes);
        return;
      }
      if (
        messages.size >= MAX_WAITING_PER_PARTY ||
        bytes.length > MAX_MESSAGE_BYTES ||
        tag.length > MAX_TAG_LENGTH
      ) {
        fail(new RsaGenerationError('malformed', `party ${from} floods`, { party: from }));
        return;
      }
      messages.set(tag, bytes);
    },
    receive(from, tag) {
      if (failure !== undefined) return Promise.reject(failure);
      const key = keyOf(from, tag);
      const messages = waiting.get(from);
      const bytes = messages?.get(tag);
      if (bytes !== undefined) {
        messages?.delete(tag);
        taken.add(key);
        return Promise.resolve(bytes);
      }
      return new Promise((resolve, reject) => {
        askers.set(key, { resolve, reject });
      });
    },
  };
}
