/** Keeps the messages of the two other parties in the runs of key ceremonies, as they arrive. */
import type { Bytes } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { PartyRooms } from '../channel/party-rooms.js';
import { FirstMessages, type EarlyMessage } from './first-messages.js';

const MESSAGE_TIMEOUT_MS = 10_000;
/** The most of one party that waits for a reader in a run. */
const MAX_WAITING = 4_096;
const MAX_WAITING_BYTES = 4_194_304;
/** The most of one party that waits for runs to be opened: a run that nobody takes part in must not fill the memory. */
const EARLY = { entries: 4_096, bytes: 4_194_304, keepMs: 60_000 } as const;

type Listener = (from: PartyNumber, tag: string, payload: Bytes) => void;

export interface CeremonyInbox {
  put(tag: string, from: PartyNumber, payload: Bytes): void;
  /** Returns one party's message. Rejects when it does not come in time. */
  receive(tag: string, from: PartyNumber): Promise<Bytes>;
  /** Returns both others' messages of a tag. */
  collect(tag: string): Promise<ReadonlyMap<PartyNumber, Bytes>>;
  /** From now on every message goes to `listener`, earlier ones first. */
  pipe(listener: Listener): void;
}

export function createCeremonyInbox(self: PartyNumber): CeremonyInbox {
  const others = PARTY_NUMBERS.filter((party) => party !== self);
  const messages = new FirstMessages({ messages: MAX_WAITING, bytes: MAX_WAITING_BYTES });
  const waiting = new Map<string, (payload: Bytes) => void>();
  let listener: Listener | undefined;

  function receive(tag: string, from: PartyNumber): Promise<Bytes> {
    const known = messages.get(tag, from);
    if (known !== undefined) return Promise.resolve(known);
    const id = `${from} ${tag}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`${tag} of party ${from} did not come in time`));
      }, MESSAGE_TIMEOUT_MS);
      waiting.set(id, (payload) => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(payload);
      });
    });
  }

  return {
    put(tag, from, payload) {
      if (listener !== undefined) return listener(from, tag, payload);
      const message = messages.add(tag, from, payload);
      if (message !== undefined) waiting.get(`${from} ${tag}`)?.(message);
    },
    receive,
    async collect(tag) {
      const messages = await Promise.all(others.map((party) => receive(tag, party)));
      return new Map(others.map((party, index) => [party, messages[index]!]));
    },
    pipe(next) {
      listener = next;
      for (const { from, tag, payload } of messages.drain()) next(from, tag, payload);
    },
  };
}

/** The inboxes of the runs that this replica takes part in, or may be about to. */
export interface CeremonyInboxes {
  /** Opens the inbox of a run that this party takes part in. It is kept until it is dropped. */
  open(session: string): CeremonyInbox;
  /** Takes a message of any run. Messages of a run that is not open yet wait, as long as there is room. */
  put(session: string, tag: string, from: PartyNumber, payload: Bytes): void;
  drop(session: string): void;
}

export function createCeremonyInboxes(self: PartyNumber, now: () => number): CeremonyInboxes {
  const opened = new Map<string, CeremonyInbox>();
  // a party that invents sessions pushes out only its own messages, and none of a run that is under way
  const early = new PartyRooms<EarlyMessage & { readonly session: string }>(EARLY, now);

  return {
    open(session) {
      const known = opened.get(session);
      if (known !== undefined) return known;
      const inbox = createCeremonyInbox(self);
      for (const party of PARTY_NUMBERS) {
        const messages = early.takeAll(party, (message) => message.session === session);
        for (const { tag, from, payload } of messages) inbox.put(tag, from, payload);
      }
      opened.set(session, inbox);
      return inbox;
    },
    put(session, tag, from, payload) {
      const inbox = opened.get(session);
      if (inbox !== undefined) return inbox.put(tag, from, payload);
      const message = { session, tag, from, payload: Buffer.from(payload) };
      early.add(from, JSON.stringify([session, tag]), message, payload.length);
    },
    drop(session) {
      opened.delete(session);
    },
  };
}
