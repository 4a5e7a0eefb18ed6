/**
 * Messages between parties. They cross Redis encrypted and authenticated between the parties' exchange
 * keys (X25519, static): Redis can lose or delay them, and that is all it can do.
 *
 * Boot ids are drawn when processes start. With the sender's in the key, a counter never comes twice under
 * one key; with the receiver's, what was said to the process before it opens for nobody. A receiver takes
 * counters of one sender in rising order only: a replayed message is dropped.
 */
import type { Bytes } from '@countersign/core/bytes.js';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import { isSameReplica, replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Logger } from '@countersign/runtime/process/logger.js';
import { deriveMessageKey, derivePairSecret, type ExchangeKeys } from './channel-keys.js';
import { openEnvelope, readEnvelope, sealEnvelope } from './envelope.js';

const MAX_SESSIONS = 1_000;

export interface PartyChannel {
  send(to: Replica, message: Bytes): Promise<void>;
  /** `from` is authenticated. */
  onMessage(listener: (from: Replica, message: Buffer) => void): void;
  /** 32 bytes that this party and `peer` alone have in common, for one purpose. The caller wipes them. */
  pairSecret(peer: PartyNumber, purpose: string): Buffer;
  /** An envelope from Redis: opened and handed on, or dropped. */
  receive(envelope: Buffer): void;
}

export interface PartyChannelDeps extends ExchangeKeys {
  readonly self: Replica;
  publish(channel: string, envelope: Buffer): Promise<unknown>;
  readonly logger: Logger;
}

/** `counter`: of the last message. */
interface Session {
  readonly key: Buffer;
  counter: number;
}

export function createPartyChannel(deps: PartyChannelDeps): PartyChannel {
  const { self, logger } = deps;
  const sending = new Map<string, Session>();
  const receiving = new Map<string, Session>();
  const listeners: ((from: Replica, message: Buffer) => void)[] = [];

  function sessionTo(peer: Replica): Session {
    const id = replicaId(peer);
    const known = sending.get(id);
    if (known !== undefined) return known;
    const key = deriveMessageKey(deps, peer.party, { from: self, to: peer });
    const session = { key, counter: 0 };
    sending.set(id, session);
    return session;
  }

  return {
    async send(to, message) {
      const session = sessionTo(to);
      session.counter += 1;
      const envelope = sealEnvelope(session.key, self, session.counter, message);
      await deps.publish(partyChannel(to), envelope);
    },
    onMessage(listener) {
      listeners.push(listener);
    },
    pairSecret: (peer, purpose) => derivePairSecret(deps, { self: self.party, peer }, purpose),
    receive(envelope) {
      try {
        const { from, message } = open(deps, receiving, envelope);
        for (const listener of listeners) listener(from, message);
      } catch (error) {
        logger.warn({ event: 'party_message_refused', reason: String(error) }, 'message dropped');
      }
    },
  };
}

/** Throws for what is no new message of another process to this one. */
function open(
  deps: PartyChannelDeps,
  receiving: Map<string, Session>,
  bytes: Buffer,
): { readonly from: Replica; readonly message: Buffer } {
  const { self } = deps;
  const envelope = readEnvelope(bytes);
  const { from, counter } = envelope;
  if (isSameReplica(from, self)) throw new RangeError('a message of our own');
  const id = replicaId(from);
  const known = receiving.get(id);
  const key = known?.key ?? deriveMessageKey(deps, from.party, { from, to: self });
  if (counter <= (known?.counter ?? 0)) throw new RangeError('a replayed message');
  const message = openEnvelope(key, envelope);
  // only now: forged messages must not push out what is remembered of others
  remember(receiving, id, { key, counter });
  return { from, message };
}

/** The session that has been known longest makes room for one that is new. */
function remember(sessions: Map<string, Session>, id: string, session: Session): void {
  if (!sessions.has(id) && sessions.size >= MAX_SESSIONS) {
    sessions.delete(sessions.keys().next().value!);
  }
  sessions.set(id, session);
}
