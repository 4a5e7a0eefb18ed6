/** The messages of the two other parties in the runs of key ceremonies, as they arrive. */
import type { Bytes } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { FirstWords } from './first-words.js';

const MESSAGE_TIMEOUT_MS = 10_000;
/** What may wait for a reader: a run that nobody takes part in must not fill the memory. */
const MAX_WAITING = 4_096;
const MAX_WAITING_BYTES = 4_194_304;
/** Runs that one party began and nobody here has opened, and what one party says to such runs in all. */
const MAX_EARLY_SESSIONS = 64;
const MAX_EARLY_BYTES = 4_194_304;

type Listener = (from: PartyNumber, tag: string, payload: Bytes) => void;

export interface CeremonyInbox {
  put(tag: string, from: PartyNumber, payload: Bytes): void;
  /** One party's message. Rejects when it does not come in time. */
  receive(tag: string, from: PartyNumber): Promise<Bytes>;
  /** Both others' messages of a tag. */
  collect(tag: string): Promise<ReadonlyMap<PartyNumber, Bytes>>;
  /** From now on every message goes to `listener`, those that came before first. */
  pipe(listener: Listener): void;
}

export function createCeremonyInbox(self: PartyNumber): CeremonyInbox {
  const others = PARTY_NUMBERS.filter((party) => party !== self);
  const words = new FirstWords({ messages: MAX_WAITING, bytes: MAX_WAITING_BYTES });
  const waiting = new Map<string, (payload: Bytes) => void>();
  let listener: Listener | undefined;

  function receive(tag: string, from: PartyNumber): Promise<Bytes> {
    const known = words.get(tag, from);
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
      const word = words.add(tag, from, payload);
      if (word !== undefined) waiting.get(`${from} ${tag}`)?.(word);
    },
    receive,
    async collect(tag) {
      const messages = await Promise.all(others.map((party) => receive(tag, party)));
      return new Map(others.map((party, index) => [party, messages[index]!]));
    },
    pipe(next) {
      listener = next;
      for (const { from, tag, payload } of words.drain()) next(from, tag, payload);
    },
  };
}

/** The inboxes of the runs that this replica takes part in, or may be about to. */
export interface CeremonyInboxes {
  /** For a run that this party takes part in: kept until it is dropped. */
  open(session: string): CeremonyInbox;
  /** A message of any run: those of a run that is not open yet wait, as long as there is room. */
  put(session: string, tag: string, from: PartyNumber, payload: Bytes): void;
  drop(session: string): void;
}

/** Of a run that nobody here has opened. */
interface EarlyInbox {
  readonly inbox: CeremonyInbox;
  readonly begunBy: PartyNumber;
  /** That wait, by party. */
  readonly bytes: Map<PartyNumber, number>;
}

export function createCeremonyInboxes(self: PartyNumber): CeremonyInboxes {
  const opened = new Map<string, CeremonyInbox>();
  const early = new Map<string, EarlyInbox>();

  /** A party that invents sessions pushes out others that it began and nobody has opened, and none of another party. */
  function begin(session: string, by: PartyNumber): EarlyInbox {
    const ofParty = [...early].filter(([, inbox]) => inbox.begunBy === by);
    if (ofParty.length >= MAX_EARLY_SESSIONS) early.delete(ofParty[0]![0]);
    const fresh = { inbox: createCeremonyInbox(self), begunBy: by, bytes: new Map() };
    early.set(session, fresh);
    return fresh;
  }

  function putEarly(session: string, tag: string, from: PartyNumber, payload: Bytes): void {
    let held = 0;
    for (const { bytes } of early.values()) held += bytes.get(from) ?? 0;
    if (held + payload.length > MAX_EARLY_BYTES) return;
    const { inbox, bytes } = early.get(session) ?? begin(session, from);
    bytes.set(from, (bytes.get(from) ?? 0) + payload.length);
    inbox.put(tag, from, payload);
  }

  return {
    open(session) {
      const inbox = opened.get(session) ?? early.get(session)?.inbox ?? createCeremonyInbox(self);
      early.delete(session);
      opened.set(session, inbox);
      return inbox;
    },
    put(session, tag, from, payload) {
      const inbox = opened.get(session);
      if (inbox === undefined) putEarly(session, tag, from, payload);
      else inbox.put(tag, from, payload);
    },
    drop(session) {
      opened.delete(session);
    },
  };
}
