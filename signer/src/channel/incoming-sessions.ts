/**
 * Receives what other processes say to this one. Whoever wants to speak asks first, and the answer makes the key of all
 * that it says from then on. Nothing is remembered for anybody who is not proven to be of a party, and only so much of
 * each party: its processes never push out another's.
 *
 * A key is forgotten together with the counter of what came under it, and cannot be made again. So no message is ever
 * taken twice.
 */
import { BoundedMap } from '@countersign/core/bounded-map.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import {
  offerOf,
  prologueOf,
  publicKeyOf,
  settleVersion,
  type ExchangeKeys,
  type Settled,
} from './channel-keys.js';
import { openFrame, writeHandshakeFrame, type HandshakeFrame, type MessageFrame } from './frame.js';
import { answerHandshake } from './noise-kk.js';

/** Processes of one party that speak to this one at a time. */
const MAX_SPEAKERS = 128;
/** New questions of one party that are answered at once, and per second after that. */
const MAX_ANSWERS = 128;
const ANSWERS_PER_S = 32;
/** A repeated question is answered again, but no more often than this. */
const AGAIN_AFTER_MS = 50;

/** A proven party asks more than any honest one does. */
export class TooManyQuestionsError extends Error {}

/** An answered question of a process that was not heard since: it may not have got the answer. */
interface Answered {
  readonly number: number;
  /** Copies, because each came as a slice of a much larger buffer. */
  readonly question: Buffer;
  readonly answer: Buffer;
  readonly key: Buffer;
  /** Undefined where the two speak no common one: then no message opens. */
  readonly version: number | undefined;
  at: number;
}

interface Speaker {
  readonly number: number;
  readonly key: Buffer;
  readonly version: number;
  /** Counters below this one are taken, or lost. */
  next: number;
}

interface PartySessions {
  readonly answered: BoundedMap<string, Answered>;
  readonly speakers: BoundedMap<string, Speaker>;
  allowance: number;
  since: number;
}

export interface IncomingSessionsDeps extends ExchangeKeys {
  readonly self: Replica;
  readonly frameKeys: ReadonlyMap<PartyNumber, Buffer>;
  readonly now: () => number;
  /** Told of a process with which this one has no version in common. */
  onForeign(replica: Replica, settled: Settled): void;
}

/** `version`: of the protocol, in which the message is written. */
export interface OpenedMessage {
  readonly message: Buffer;
  readonly version: number;
}

export interface IncomingSessions {
  /**
   * Returns the frame that answers an authentic question; undefined if it was answered just now. Throws RangeError for
   * an overtaken question, TooManyQuestionsError, and what `answerHandshake` throws.
   */
  answer(question: HandshakeFrame): Buffer | undefined;
  /** Returns the message. Throws for what is no new message of an agreement. */
  open(frame: MessageFrame): OpenedMessage;
  /** Forgets what was agreed with the party's processes. */
  forget(party: PartyNumber): void;
  stop(): void;
}

export function createIncomingSessions(deps: IncomingSessionsDeps): IncomingSessions {
  const { now } = deps;
  const parties = new Map(PARTY_NUMBERS.map((party) => [party, openPartySessions(now())]));
  return {
    answer(question) {
      const sessions = parties.get(question.from.party)!;
      const id = replicaId(question.from);
      const known = sessions.answered.get(id);
      if (known?.number === question.number) return answerAgain(known, question, now());
      const newest = Math.max(known?.number ?? 0, sessions.speakers.get(id)?.number ?? 0);
      if (question.number <= newest)
        throw new RangeError('the request is older than the newest one');
      spendAllowance(sessions, now());
      const answered = answerAnew(deps, question);
      if (known !== undefined) known.key.fill(0);
      sessions.answered.put(id, answered);
      return answered.answer;
    },
    open(frame) {
      return openFrom(parties.get(frame.from.party)!, frame);
    },
    forget: (party) => forgetAll(parties.get(party)!),
    stop() {
      for (const sessions of parties.values()) forgetAll(sessions);
    },
  };
}

function forgetAll({ answered, speakers }: PartySessions): void {
  answered.clear();
  speakers.clear();
}

function openPartySessions(now: number): PartySessions {
  const wipe = ({ key }: { readonly key: Buffer }) => void key.fill(0);
  return {
    answered: new BoundedMap<string, Answered>(MAX_SPEAKERS, wipe),
    speakers: new BoundedMap<string, Speaker>(MAX_SPEAKERS, wipe),
    allowance: MAX_ANSWERS,
    since: now,
  };
}

/** The first answer may have been lost; a different one would void what was agreed over it. */
function answerAgain(known: Answered, { noise }: HandshakeFrame, now: number): Buffer | undefined {
  if (!known.question.equals(noise)) throw new RangeError('two different requests have one number');
  if (now - known.at < AGAIN_AFTER_MS) return undefined;
  known.at = now;
  return known.answer;
}

function spendAllowance(sessions: PartySessions, now: number): void {
  const earned = (Math.max(0, now - sessions.since) * ANSWERS_PER_S) / 1_000;
  sessions.allowance = Math.min(MAX_ANSWERS, sessions.allowance + earned);
  sessions.since = now;
  if (sessions.allowance < 1) {
    throw new TooManyQuestionsError(
      'too many requests at once: the party sent them so, or they were held back on their way',
    );
  }
  sessions.allowance -= 1;
}

function answerAnew(deps: IncomingSessionsDeps, question: HandshakeFrame): Answered {
  const { self, own, genesisHash, frameKeys, spoken, now } = deps;
  const { from, number, noise } = question;
  const prologue = prologueOf(genesisHash, { from, to: self, number });
  const peer = publicKeyOf(deps, from.party);
  const input = { prologue, own, peer, payload: offerOf(spoken) };
  const { answer, keys, payload } = answerHandshake(input, noise);
  keys.toInitiator.fill(0); // what this process says, it asks for itself
  const settled = settleVersion(spoken, payload);
  // it is answered all the same: so it learns why it is not heard
  if (settled.version === undefined) deps.onForeign(from, settled);
  const frame = { kind: 'answer', from: self, number, noise: answer } as const;
  return {
    number,
    question: Buffer.from(noise),
    answer: writeHandshakeFrame(frameKeys.get(from.party)!, frame, from),
    key: keys.toResponder,
    version: settled.version,
    at: now(),
  };
}

function openFrom({ answered, speakers }: PartySessions, frame: MessageFrame): OpenedMessage {
  const id = replicaId(frame.from);
  const speaker = speakers.get(id);
  if (speaker?.number === frame.number) {
    if (frame.counter < speaker.next) throw new RangeError('a replayed message');
    const message = openFrame(speaker.key, frame);
    speaker.next = frame.counter + 1;
    speakers.put(id, speaker);
    return { message, version: speaker.version };
  }
  const fresh = answered.get(id);
  if (fresh?.version === undefined || fresh.number !== frame.number)
    throw new RangeError('the message belongs to no session');
  const message = openFrame(fresh.key, frame);
  // replaces the key only now: whoever asked has the answer, and uses it from now on
  speaker?.key.fill(0);
  answered.delete(id);
  const { number, key, version } = fresh;
  speakers.put(id, { number, key, version, next: frame.counter + 1 });
  return { message, version };
}
