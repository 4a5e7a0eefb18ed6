/**
 * Messages between the processes of the parties. They cross Redis encrypted and authenticated: Redis can only lose or
 * delay them.
 *
 * The ledger says which exchange key a party has. Any two processes agree on keys of their own (Noise KK,
 * `noise-kk.ts`), one for each direction, when they first meet and every few minutes again. They bind these to the
 * genesis hash, both processes and their boot ids, which are drawn at their start. So what was said to an earlier
 * process or in another vault opens for nobody, and nobody who steals the exchange keys later can open what was
 * recorded.
 *
 * The same handshake settles the version of the protocol: each end offers what it speaks, and they use the newest that both
 * know. Redis cannot change an offer.
 */
import type { Bytes } from '@countersign/core/bytes.js';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import { versionsText, type SpokenVersions } from '@countersign/runtime/jobs/protocol.js';
import { isSameReplica, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { deriveFrameKey, type ExchangeKeys, type Settled } from './channel-keys.js';
import { isAuthentic, readFrame, type Frame, type HandshakeFrame } from './frame.js';
import {
  createIncomingSessions,
  TooManyQuestionsError,
  type OpenedMessage,
} from './incoming-sessions.js';
import { createOutgoingSessions, type Form } from './outgoing-sessions.js';
import { createRefusals, type Refusals, type RefusalsDeps } from './refusals.js';

export interface PartyChannel {
  /** Resolves once the message is on its way, or waits for a key; rejects when too much waits already. */
  send(to: Replica, form: Form): Promise<void>;
  /** Agrees on a key with a process, so that the first message to it need not wait. */
  prepare(to: Replica): void;
  /** `from` is authenticated. A listener throws RangeError for what no honest party sends. */
  onMessage(listener: Listener): void;
  /** A frame from Redis: a message is handed on, a question answered, and anything else dropped. */
  receive(frame: Buffer): void;
  /** The party has another exchange key (32 bytes) from now on: nothing that was agreed under the old one counts. */
  replacePeer(party: PartyNumber, publicKey: Bytes): void;
  /** Wipes all keys. */
  stop(): void;
}

/** `version`: of the protocol, in which the message is written. */
type Listener = (from: Replica, message: Buffer, version: number) => void;

export interface PartyChannelDeps extends ExchangeKeys, RefusalsDeps {
  readonly self: Replica;
  publish(channel: string, frame: Buffer): Promise<unknown>;
}

export function createPartyChannel(deps: PartyChannelDeps): PartyChannel {
  const { self, own } = deps;
  const listeners: Listener[] = [];
  const refusals = createRefusals(deps);
  let isStopped = false;
  const publicKeys = new Map(deps.publicKeys);
  const keys = { ...deps, publicKeys };
  const frameKeys = frameKeysOf(keys);
  const sessions = { ...keys, frameKeys, ...tellersOf(refusals, deps.spoken) };
  const [incoming, outgoing] = [createIncomingSessions(sessions), createOutgoingSessions(sessions)];

  function take(frame: Frame): void {
    if (isSameReplica(frame.from, self))
      throw new RangeError('the message comes from this process itself');
    if (frame.kind === 'message') {
      const opened = incoming.open(frame);
      for (const listener of listeners) handOn(refusals, listener, frame.from, opened);
      return;
    }
    requireAuthentic(frameKeys, frame, self);
    if (frame.kind === 'answer') return outgoing.finish(frame);
    const answer = incoming.answer(frame);
    if (answer === undefined) return;
    deps.publish(partyChannel(frame.from), answer).catch(() => undefined); // whoever asked will ask again
  }

  return {
    send: (to, form) => outgoing.send(to, form),
    prepare: (to) => outgoing.prepare(to),
    onMessage(listener) {
      listeners.push(listener);
    },
    receive(bytes) {
      if (isStopped) return;
      receiveFrame(take, refusals, bytes);
    },
    replacePeer(party, publicKey) {
      publicKeys.set(party, publicKey);
      replaceFrameKey(keys, frameKeys, party);
      for (const one of [incoming, outgoing]) one.forget(party);
    },
    stop() {
      isStopped = true;
      for (const one of [incoming, outgoing]) one.stop();
      for (const key of frameKeys.values()) key.fill(0);
      own.wipe();
    },
  };
}

function replaceFrameKey(
  deps: PartyChannelDeps,
  frameKeys: Map<PartyNumber, Buffer>,
  party: PartyNumber,
): void {
  frameKeys.get(party)?.fill(0);
  frameKeys.set(party, deriveFrameKey(deps, deps.self.party, party));
}

function frameKeysOf(deps: PartyChannelDeps): Map<PartyNumber, Buffer> {
  const { self, publicKeys } = deps;
  return new Map(
    [...publicKeys.keys()].map((party) => [party, deriveFrameKey(deps, self.party, party)]),
  );
}

function receiveFrame(take: (frame: Frame) => void, refusals: Refusals, bytes: Buffer): void {
  let frame: Frame | undefined;
  try {
    frame = readFrame(bytes);
    take(frame);
  } catch (error) {
    note(refusals, frame, error);
  }
}

function note(refusals: Refusals, frame: Frame | undefined, error: unknown): void {
  refusals.refuse(String(error));
  if (frame === undefined || !(error instanceof TooManyQuestionsError)) return;
  refusals.accuse('party_floods', frame.from.party, error.message);
}

/** What becomes of a process with which nothing can be agreed is told in the log. */
function tellersOf(refusals: Refusals, own: SpokenVersions) {
  return {
    onSilence({ party }: Replica, dropped: number) {
      refusals.refuse(`a process of party ${party} does not answer: ${dropped} messages dropped`);
    },
    onForeign({ party }: Replica, { theirs }: Settled) {
      refusals.refuse(
        `a process of party ${party} speaks versions ${versionsText(theirs)} of the protocol, and this one ${versionsText(own)}: their releases are more than one apart`,
      );
    },
  };
}

function handOn(
  refusals: Refusals,
  listener: Listener,
  from: Replica,
  { message, version }: OpenedMessage,
): void {
  try {
    listener(from, message, version);
  } catch (error) {
    if (error instanceof RangeError) {
      refusals.accuse('party_misbehaved', from.party, `a malformed message: ${error.message}`);
    }
    throw error;
  }
}

function requireAuthentic(
  frameKeys: ReadonlyMap<PartyNumber, Buffer>,
  frame: HandshakeFrame,
  self: Replica,
): void {
  const frameKey = frameKeys.get(frame.from.party);
  if (frameKey === undefined || !isAuthentic(frameKey, frame, self)) {
    throw new RangeError('the handshake names an unknown party');
  }
}
