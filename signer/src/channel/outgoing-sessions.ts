/**
 * Sends what this process says to others. It first asks each of them for a key, and repeats the same question until it
 * is answered or gives up; messages meanwhile wait, in bounds. Both ends may ask at once: each direction has a key of
 * its own.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import type { SpokenVersions } from '@countersign/runtime/jobs/protocol.js';
import { isSameReplica, replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { Bytes } from '@countersign/core/bytes.js';
import {
  offerOf,
  prologueOf,
  publicKeyOf,
  settleVersion,
  type ExchangeKeys,
  type Settled,
} from './channel-keys.js';
import { sealFrame, writeHandshakeFrame, type HandshakeFrame } from './frame.js';
import { initiateHandshake, type InitiatedHandshake } from './noise-kk.js';

/** Processes of one party that this one speaks to at a time. */
const MAX_LISTENERS = 128;
/** The most messages that wait for answers of one party's processes. */
const MAX_WAITING = 1_024;
const MAX_WAITING_BYTES = 8_388_608;
const FIRST_AGAIN_MS = 100;
const MAX_AGAIN_MS = 1_000;
/** A process that has not answered by then is gone, and messages to it are dropped. */
const GIVE_UP_AFTER_MS = 5_000;
/** A key in use is replaced by then: a key stolen from memory now opens nothing that is recorded later. */
const RENEW_AFTER_MS = 120_000;

interface Asking {
  readonly number: number;
  readonly handshake: InitiatedHandshake;
  readonly since: number;
  timer: NodeJS.Timeout;
}

interface Agreed {
  readonly number: number;
  readonly key: Buffer;
  readonly since: number;
  readonly version: number;
  /** Of the next message. */
  counter: number;
}

interface Listener {
  readonly replica: Replica;
  agreed: Agreed | undefined;
  asking: Asking | undefined;
  readonly waiting: Forms[];
}

/** A message, in the form of a version of the protocol. */
export type Form = (version: number) => Bytes;
/** Of one message, in every version that this process speaks. */
type Forms = ReadonlyMap<number, Buffer>;

interface PartyListeners {
  readonly known: BoundedMap<string, Listener>;
  readonly waiting: { messages: number; bytes: number };
}

export interface OutgoingSessionsDeps extends ExchangeKeys {
  readonly self: Replica;
  readonly frameKeys: ReadonlyMap<PartyNumber, Buffer>;
  readonly now: () => number;
  publish(channel: string, frame: Buffer): Promise<unknown>;
  /** Told of a process that did not answer, and how many messages to it were dropped. */
  onSilence(replica: Replica, dropped: number): void;
  /** Told of a process with which this one has no version in common: what waited for it is dropped. */
  onForeign(replica: Replica, settled: Settled): void;
}

export interface OutgoingSessions {
  /** Resolves once the message is published, or waits. Rejects when too much waits already. */
  send(to: Replica, form: Form): Promise<void>;
  /** Agrees on a key before there is a message; pushes nobody out. */
  prepare(to: Replica): void;
  /** Takes an authentic answer; a repeated one changes nothing. Throws RangeError for an answer to another question. */
  finish(answer: HandshakeFrame): void;
  /** Forgets what was agreed with the party's processes, and drops what waits for them. */
  forget(party: PartyNumber): void;
  stop(): void;
}

export function createOutgoingSessions(deps: OutgoingSessionsDeps): OutgoingSessions {
  const parties = new Map(PARTY_NUMBERS.map((party) => [party, openPartyListeners()] as const));
  const asker = new Asker(deps, (replica) => parties.get(replica.party)!);

  /** Undefined for a process that is not known yet. */
  function find({ party }: Replica, id: string): Listener | undefined {
    return parties.get(party)?.known.get(id);
  }

  function listenerOf(to: Replica): Listener {
    publicKeyOf(deps, to.party);
    if (isSameReplica(to, deps.self)) throw new Error('a message to this process itself');
    const id = replicaId(to);
    const listener = find(to, id) ?? {
      replica: to,
      agreed: undefined,
      asking: undefined,
      waiting: [],
    };
    parties.get(to.party)!.known.put(id, listener);
    return listener;
  }

  return {
    async send(to, form) {
      const listener = listenerOf(to);
      asker.askIfDue(listener);
      const { agreed } = listener;
      if (agreed !== undefined) return say(deps, listener, agreed, form(agreed.version));
      queue(parties.get(to.party)!, listener, formsOf(form, deps.spoken));
    },
    prepare(to) {
      const isKnown = find(to, replicaId(to)) !== undefined;
      if (isSameReplica(to, deps.self) || (!isKnown && parties.get(to.party)!.known.isFull)) return;
      asker.askIfDue(listenerOf(to));
    },
    finish(answer) {
      const listener = find(answer.from, replicaId(answer.from));
      // a question asked twice, because the first answer was slow, is answered twice
      if (listener?.agreed?.number === answer.number) return;
      if (listener?.asking?.number !== answer.number)
        throw new RangeError('the reply answers an unknown request');
      asker.finish(listener, listener.asking, answer);
    },
    forget: (party) => parties.get(party)!.known.clear(),
    stop() {
      for (const { known } of parties.values()) known.clear();
    },
  };
}

function openPartyListeners(): PartyListeners {
  const waiting = { messages: 0, bytes: 0 };
  return {
    waiting,
    known: new BoundedMap<string, Listener>(MAX_LISTENERS, (gone) => forget(waiting, gone)),
  };
}

/** Forgets all that is kept for the listener. Returns how many messages were dropped. */
function forget(waiting: PartyListeners['waiting'], listener: Listener): number {
  endAsking(listener);
  listener.agreed?.key.fill(0);
  listener.agreed = undefined;
  return drain(waiting, listener, () => undefined);
}

function endAsking(listener: Listener): void {
  clearTimeout(listener.asking?.timer);
  listener.asking?.handshake.wipe();
  listener.asking = undefined;
}

/**
 * The message is copied, because it waits, and wiped when it has gone, because it may be a secret. A form that stayed as
 * it was is kept once.
 */
function formsOf(form: Form, { oldest, newest }: SpokenVersions): Forms {
  const forms = new Map<number, Buffer>();
  for (let version = oldest; version <= newest; version++) {
    const bytes = form(version);
    const before = forms.get(version - 1);
    forms.set(version, before?.equals(bytes) === true ? before : Buffer.from(bytes));
  }
  return forms;
}

const sizeOf = (forms: Forms) =>
  [...new Set(forms.values())].reduce((sum, { length }) => sum + length, 0);

function queue({ waiting }: PartyListeners, listener: Listener, forms: Forms): void {
  const size = sizeOf(forms);
  if (waiting.messages >= MAX_WAITING || waiting.bytes + size > MAX_WAITING_BYTES) {
    throw new Error(`too much waits for party ${listener.replica.party}`);
  }
  waiting.messages += 1;
  waiting.bytes += size;
  listener.waiting.push(forms);
}

function drain(
  waiting: PartyListeners['waiting'],
  listener: Listener,
  take: (forms: Forms) => void,
): number {
  const messages = listener.waiting.splice(0);
  for (const forms of messages) {
    waiting.messages -= 1;
    waiting.bytes -= sizeOf(forms);
    take(forms);
    for (const message of forms.values()) message.fill(0);
  }
  return messages.length;
}

async function say(
  { self, publish }: OutgoingSessionsDeps,
  { replica }: Listener,
  agreed: Agreed,
  message: Bytes,
): Promise<void> {
  const { key, number, counter } = agreed;
  agreed.counter += 1;
  await publish(partyChannel(replica), sealFrame(key, { from: self, number, counter }, message));
}

class Asker {
  readonly #deps: OutgoingSessionsDeps;
  readonly #partyOf: (replica: Replica) => PartyListeners;
  /** It rises over all questions of this process: a receiver takes no earlier one. */
  #questions = 0;

  constructor(deps: OutgoingSessionsDeps, partyOf: (replica: Replica) => PartyListeners) {
    this.#deps = deps;
    this.#partyOf = partyOf;
  }

  askIfDue(listener: Listener): void {
    const { agreed, asking } = listener;
    const isOld = agreed === undefined || this.#deps.now() - agreed.since >= RENEW_AFTER_MS;
    if (asking === undefined && isOld) this.#ask(listener);
  }

  finish(listener: Listener, { handshake, number }: Asking, { noise }: HandshakeFrame): void {
    const { keys, payload } = handshake.finish(noise);
    keys.toInitiator.fill(0);
    const settled = settleVersion(this.#deps.spoken, payload);
    const { version } = settled;
    if (version === undefined) return this.#refuse(listener, settled);
    endAsking(listener);
    listener.agreed?.key.fill(0);
    const key = keys.toResponder;
    const agreed = { number, key, since: this.#deps.now(), version, counter: 0 };
    listener.agreed = agreed;
    drain(this.#partyOf(listener.replica).waiting, listener, (forms) => {
      say(this.#deps, listener, agreed, forms.get(version)!).catch(() => undefined);
    });
  }

  #ask(listener: Listener): void {
    const { replica } = listener;
    const { self, own, genesisHash, frameKeys, spoken, now } = this.#deps;
    const number = ++this.#questions;
    const prologue = prologueOf(genesisHash, { from: self, to: replica, number });
    const peer = publicKeyOf(this.#deps, replica.party);
    const handshake = initiateHandshake({ prologue, own, peer, payload: offerOf(spoken) });
    const frame = { kind: 'ask', from: self, number, noise: handshake.message } as const;
    const bytes = writeHandshakeFrame(frameKeys.get(replica.party)!, frame, replica);
    const timer = this.#askAgainAfter(FIRST_AGAIN_MS, listener, bytes);
    listener.asking = { number, handshake, since: now(), timer };
    this.#tell(replica, bytes);
  }

  #askAgainAfter(delayMs: number, listener: Listener, bytes: Buffer): NodeJS.Timeout {
    const again = () => {
      const asking = listener.asking!;
      if (this.#deps.now() - asking.since >= GIVE_UP_AFTER_MS) return this.#giveUp(listener);
      asking.timer = this.#askAgainAfter(Math.min(2 * delayMs, MAX_AGAIN_MS), listener, bytes);
      this.#tell(listener.replica, bytes);
    };
    return setTimeout(again, delayMs).unref();
  }

  /** A lost question is repeated. */
  #tell(replica: Replica, bytes: Buffer): void {
    this.#deps.publish(partyChannel(replica), bytes).catch(() => undefined);
  }

  /** A key that was agreed before stays in use. */
  #giveUp(listener: Listener): void {
    const { replica, agreed } = listener;
    if (agreed !== undefined) return endAsking(listener);
    this.#deps.onSilence(replica, this.#drop(listener));
  }

  #refuse(listener: Listener, settled: Settled): void {
    this.#drop(listener);
    this.#deps.onForeign(listener.replica, settled);
  }

  /** Returns how many messages were dropped. */
  #drop(listener: Listener): number {
    const { known, waiting } = this.#partyOf(listener.replica);
    known.delete(replicaId(listener.replica));
    return forget(waiting, listener);
  }
}
