/**
 * Messages between parties. They cross Redis encrypted and authenticated between the parties' exchange
 * keys (X25519, static): Redis can lose or delay them, and that is all it can do.
 *
 * envelope = sender (party u8 ‖ name field ‖ boot id 16) ‖ counter u64 ‖ AES-256-GCM box
 * key      = HKDF-SHA256(X25519 secret, info = domain, genesis hash, both replicas with their boot ids)
 *
 * Boot ids are drawn when processes start. With the sender's in the key, a counter never comes twice under
 * one key; with the receiver's, what was said to the process before it opens for nobody. A receiver takes
 * counters of one sender in rising order only: a replayed message is dropped.
 */
import { diffieHellman, hkdfSync } from 'node:crypto';
import { BOX_NONCE_BYTES, openBox, sealBox } from '@countersign/core/aead-box.js';
import type { KeyObject } from 'node:crypto';
import { ByteReader, ByteWriter, type Bytes } from '@countersign/core/bytes.js';
import { partyChannel } from '@countersign/runtime/jobs/names.js';
import {
  readReplica,
  replicaId,
  writeReplica,
  type Replica,
} from '@countersign/runtime/jobs/replica.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import type { Logger } from '@countersign/runtime/process/logger.js';

/** RFC 5869, section 2.2: as many zero bytes as the hash has, when there is no salt. */
const NO_SALT = Buffer.alloc(32);
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

export interface PartyChannelDeps {
  readonly self: Replica;
  readonly privateKey: KeyObject;
  /** Exchange public keys of all parties, from the genesis. */
  readonly publicKeys: ReadonlyMap<PartyNumber, KeyObject>;
  readonly genesisHash: string;
  publish(channel: string, envelope: Buffer): Promise<unknown>;
  readonly logger: Logger;
}

interface Session {
  readonly key: Buffer;
  counter: number;
}

export function createPartyChannel(deps: PartyChannelDeps): PartyChannel {
  const { self, logger } = deps;
  const sending = new Map<string, Session>();
  const receiving = new Map<string, Session>();
  const listeners: ((from: Replica, message: Buffer) => void)[] = [];

  function deriveSecret(peer: PartyNumber, info: ByteWriter): Buffer {
    const publicKey = deps.publicKeys.get(peer);
    if (publicKey === undefined) throw new Error(`no exchange key of party ${peer}`);
    const secret = diffieHellman({ privateKey: deps.privateKey, publicKey });
    const key = Buffer.from(hkdfSync('sha256', secret, NO_SALT, info.bytes(), 32));
    secret.fill(0);
    return key;
  }

  function deriveKey(peer: PartyNumber, from: Replica, to: Replica): Buffer {
    const info = new ByteWriter()
      .field('countersign party channel v1')
      .field(deps.genesisHash)
      .field(replicaId(from))
      .field(replicaId(to));
    return deriveSecret(peer, info);
  }

  function sessionTo(peer: Replica): Session {
    const id = replicaId(peer);
    const known = sending.get(id);
    if (known !== undefined) return known;
    const session = { key: deriveKey(peer.party, self, peer), counter: 0 };
    sending.set(id, session);
    return session;
  }

  /** Kept only once a message of it was authentic: forged ones must not push out what is remembered. */
  function keepSession(id: string, session: Session): void {
    if (receiving.has(id)) return;
    if (receiving.size >= MAX_SESSIONS) receiving.delete([...receiving.keys()][0]!);
    receiving.set(id, session);
  }

  function open(envelope: Buffer): { from: Replica; message: Buffer } {
    const reader = new ByteReader(envelope);
    const from = readReplica(reader);
    if (from.party === self.party) throw new RangeError('a message of our own party');
    const counter = reader.u64();
    const box = reader.field();
    reader.end();
    const id = replicaId(from);
    const session = receiving.get(id) ?? { key: deriveKey(from.party, from, self), counter: 0 };
    if (counter <= session.counter) throw new RangeError('a replayed message');
    const message = openBox(session.key, gcmNonce(counter), box);
    session.counter = counter;
    keepSession(id, session);
    return { from, message };
  }

  return {
    async send(to, message) {
      const session = sessionTo(to);
      session.counter += 1;
      const box = sealBox(session.key, gcmNonce(session.counter), message);
      const envelope = writeReplica(new ByteWriter(), self).u64(session.counter).field(box).bytes();
      await deps.publish(partyChannel(to), envelope);
    },
    onMessage(listener) {
      listeners.push(listener);
    },
    pairSecret(peer, purpose) {
      const [low, high] = peer < self.party ? [peer, self.party] : [self.party, peer];
      const info = new ByteWriter()
        .field('countersign pair secret v1')
        .field(deps.genesisHash)
        .u8(low)
        .u8(high)
        .field(purpose);
      return deriveSecret(peer, info);
    },
    receive(envelope) {
      try {
        const { from, message } = open(envelope);
        for (const listener of listeners) listener(from, message);
      } catch (error) {
        logger.warn({ event: 'party_message_refused', reason: String(error) }, 'message dropped');
      }
    },
  };
}

function gcmNonce(counter: number): Buffer {
  const nonce = Buffer.alloc(BOX_NONCE_BYTES);
  nonce.writeBigUInt64LE(BigInt(counter), 4);
  return nonce;
}
