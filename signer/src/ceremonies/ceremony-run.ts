/** One run of a key ceremony: who holds it, and the messages of the two other parties as they arrive. */
import { randomBytes } from 'node:crypto';
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { readReplica, writeReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import type { PartyMessage } from '../channel/messages.js';

const MESSAGE_TIMEOUT_MS = 10_000;
/** What may wait for a reader: a run that nobody takes part in must not fill the memory. */
const MAX_WAITING = 4_096;
const MAX_WAITING_BYTES = 4_194_304;
const MAX_EARLY_SESSIONS = 64;
export const KEY_VERSION = 1;

/** A run as one party takes part in it. */
export interface CeremonyRun {
  readonly self: Replica;
  readonly session: string;
  readonly keyId: string;
  /** One of each party, in order. */
  readonly replicas: readonly Replica[];
  /** See {@link RunStart.stockId}. */
  readonly stockId: string;
  readonly inbox: CeremonyInbox;
  /** Ends when the run is overtaken by another one for the same key. */
  readonly signal: AbortSignal;
  send(to: PartyNumber, tag: string, payload: Bytes): Promise<void>;
}

export interface CeremonyInbox {
  put(tag: string, from: PartyNumber, payload: Bytes): void;
  /** One party's message. Rejects when it does not come in time. */
  receive(tag: string, from: PartyNumber): Promise<Bytes>;
  /** Both others' messages of a tag. */
  collect(tag: string): Promise<ReadonlyMap<PartyNumber, Bytes>>;
  /** From now on every message goes to `listener`, those that came before first. */
  pipe(listener: (from: PartyNumber, tag: string, payload: Bytes) => void): void;
}

export function createCeremonyInbox(self: PartyNumber): CeremonyInbox {
  const others = PARTY_NUMBERS.filter((party) => party !== self);
  const received = new Map<string, Bytes>();
  const waiting = new Map<string, (payload: Bytes) => void>();
  let waitingBytes = 0;
  let listener: ((from: PartyNumber, tag: string, payload: Bytes) => void) | undefined;

  function receive(tag: string, from: PartyNumber): Promise<Bytes> {
    const id = `${from} ${tag}`;
    const known = received.get(id);
    if (known !== undefined) return Promise.resolve(known);
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
      const id = `${from} ${tag}`;
      // the first word counts: a second one for the same message would be another face
      if (received.has(id) || received.size >= MAX_WAITING) return;
      if (waitingBytes + payload.length > MAX_WAITING_BYTES) return;
      waitingBytes += payload.length;
      const copy = Buffer.from(payload);
      received.set(id, copy);
      waiting.get(id)?.(copy);
    },
    receive,
    async collect(tag) {
      const messages = await Promise.all(others.map((party) => receive(tag, party)));
      return new Map(others.map((party, index) => [party, messages[index]!]));
    },
    pipe(next) {
      listener = next;
      for (const [id, payload] of received) {
        const [from, tag] = [Number(id.slice(0, 1)) as PartyNumber, id.slice(2)];
        next(from, tag, payload);
      }
      received.clear();
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

export function createCeremonyInboxes(self: PartyNumber): CeremonyInboxes {
  const opened = new Map<string, CeremonyInbox>();
  // whoever invents sessions pushes out others that nobody has opened, and none that is under way
  const early = new Map<string, CeremonyInbox>();

  function earlyInbox(session: string): CeremonyInbox {
    const known = early.get(session);
    if (known !== undefined) return known;
    if (early.size >= MAX_EARLY_SESSIONS) early.delete(early.keys().next().value!);
    const fresh = createCeremonyInbox(self);
    early.set(session, fresh);
    return fresh;
  }

  return {
    open(session) {
      const inbox = opened.get(session) ?? early.get(session) ?? createCeremonyInbox(self);
      early.delete(session);
      opened.set(session, inbox);
      return inbox;
    },
    put(session, tag, from, payload) {
      (opened.get(session) ?? earlyInbox(session)).put(tag, from, payload);
    },
    drop(session) {
      opened.delete(session);
    },
  };
}

/** The run's `send`, over the party channel. */
export function createRunSender(
  run: Pick<CeremonyRun, 'session' | 'keyId' | 'replicas'>,
  send: (to: Replica, message: PartyMessage) => Promise<void>,
): CeremonyRun['send'] {
  const { session, keyId, replicas } = run;
  return (party, tag, payload) => {
    const to = replicas.find((replica) => replica.party === party);
    if (to === undefined) throw new Error(`no replica of party ${party}`);
    return send(to, { kind: 'ceremony', session, keyId, tag, payload });
  };
}

export interface RunCallerDeps {
  readonly self: Replica;
  send(to: Replica, message: PartyMessage): Promise<void>;
  /** One live replica of each party, or undefined. */
  findReplicas(): Promise<Replica[] | undefined>;
}

/** Tells the other parties of a new run. Undefined while a party is away: a run needs all three. */
export async function callRun(
  deps: RunCallerDeps,
  {
    tag,
    keyId,
    stockId,
  }: { readonly tag: string; readonly keyId: string; readonly stockId: string },
): Promise<{ readonly session: string; readonly start: RunStart } | undefined> {
  const replicas = await deps.findReplicas();
  if (replicas === undefined) return undefined;
  const session = randomBytes(16).toString('hex');
  const tell = createRunSender({ session, keyId, replicas }, deps.send);
  const payload = encodeRunStart({ replicas, stockId });
  await Promise.all(otherParties(deps.self.party).map((party) => tell(party, tag, payload)));
  return { session, start: { replicas, stockId } };
}

export function otherParties(self: PartyNumber): PartyNumber[] {
  return PARTY_NUMBERS.filter((party) => party !== self);
}

/** What a caller tells the others of a run. */
export interface RunStart {
  /** One of each party, in order. */
  readonly replicas: readonly Replica[];
  /** A key made ahead that is to become this one; empty for none. */
  readonly stockId: string;
}

export function encodeRunStart({ replicas, stockId }: RunStart): Buffer {
  const writer = new ByteWriter();
  for (const replica of replicas) writeReplica(writer, replica);
  return writer.field(stockId).bytes();
}

/** Throws RangeError unless it names one replica of each party, in order. */
export function decodeRunStart(bytes: Bytes): RunStart {
  const reader = new ByteReader(bytes);
  const replicas = PARTY_NUMBERS.map((party) => {
    const replica = readReplica(reader);
    if (replica.party !== party) throw new RangeError('replicas out of order');
    return replica;
  });
  const stockId = reader.text();
  reader.end();
  return { replicas, stockId };
}
