/**
 * Somebody who has recorded what the parties said to each other by way of Redis, and has stolen the exchange keys of all
 * of them since. He knows how the channel works, and how it worked when messages rested on those keys alone.
 */
import { SPOKEN } from '@countersign/runtime/jobs/protocol.js';
import { hkdfSync } from 'node:crypto';
import { openBox } from '@countersign/core/aead-box.js';
import { ByteWriter } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { replicaId, type Replica } from '@countersign/runtime/jobs/replica.js';
import { deriveFrameKey, prologueOf } from '../../signer/src/channel/channel-keys.js';
import {
  readFrame,
  type Frame,
  type HandshakeFrame,
  type MessageFrame,
} from '../../signer/src/channel/frame.js';
import { transportNonce } from '../../signer/src/channel/noise-kk.js';
import { x25519Key, type X25519Key } from '../../signer/src/channel/x25519.js';

export interface RecordedFrame {
  /** The Redis channel it was published to. */
  readonly channel: string;
  readonly bytes: Buffer;
}

/** Messages of one agreement have one key: none of the others opens when these do not. */
const TRIED_OF_EACH = 3;

export interface Loot {
  /** That he tried to open. */
  readonly messages: number;
  readonly opened: readonly Buffer[];
  /** Questions whose seals he opened: his keys are the right ones, and do open what rests on them. */
  readonly questionsOpened: number;
}

export class ChannelAttacker {
  readonly #keys: ReadonlyMap<PartyNumber, X25519Key>;
  readonly #genesisHash: string;

  /** `exchangeKeys`: the stolen ones, 32 bytes each. */
  constructor(exchangeKeys: ReadonlyMap<PartyNumber, Buffer>, genesisHash: string) {
    this.#keys = new Map([...exchangeKeys].map(([party, key]) => [party, x25519Key(key)]));
    this.#genesisHash = genesisHash;
  }

  open(recorded: readonly RecordedFrame[]): Loot {
    const frames = recorded.map(({ channel, bytes }) => ({
      frame: readFrame(bytes),
      to: receiverOf(channel),
    }));
    const guesses = new Map<string, Buffer[]>();
    let questionsOpened = 0;
    for (const { frame: ask, to } of frames) {
      if (ask.kind !== 'ask') continue;
      const state = this.#readQuestion(ask, to);
      questionsOpened += 1;
      const answer = frames.find(({ frame }) => isAnswerTo(frame, ask, to))?.frame;
      const keys = this.#guessKeys(state, ask, to, answer as HandshakeFrame | undefined);
      guesses.set(nameOf(ask, to), keys);
    }
    const seen = new Map<string, number>();
    const messages = frames.filter(({ frame, to }) => {
      const count = seen.get(nameOf(frame, to)) ?? 0;
      if (frame.kind === 'message') seen.set(nameOf(frame, to), count + 1);
      return frame.kind === 'message' && count < TRIED_OF_EACH;
    });
    const opened = messages.flatMap(({ frame, to }) =>
      this.#openMessage(frame as MessageFrame, to, guesses.get(nameOf(frame, to)) ?? []),
    );
    return { messages: messages.length, opened, questionsOpened };
  }

  /** The key of messages as it was once: HKDF of the two lasting keys' common secret. */
  lastingKey(from: Replica, to: Replica): Buffer {
    const info = new ByteWriter()
      .field('countersign party channel v1')
      .field(this.#genesisHash)
      .field(replicaId(from))
      .field(replicaId(to));
    const secret = this.#key(from).exchange(this.#key(to).publicKey);
    return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(32), info.bytes(), 32));
  }

  #key({ party }: Replica): X25519Key {
    return this.#keys.get(party)!;
  }

  /** Through "-> e, es, ss", for which the lasting keys are enough. Throws when they are not. */
  #readQuestion({ from, number, noise }: HandshakeFrame, to: Replica): NoiseState {
    const state = initialState();
    for (const known of [
      prologueOf(this.#genesisHash, { from, to, number }),
      this.#key(from).publicKey,
      this.#key(to).publicKey,
    ]) {
      state.hash = sha256(state.hash, known);
    }
    const [ephemeral, sealed] = [noise.subarray(0, 32), noise.subarray(32)];
    state.hash = sha256(state.hash, ephemeral);
    mix(state, this.#key(to).exchange(ephemeral));
    mix(state, this.#key(from).exchange(this.#key(to).publicKey));
    openBox(state.key, transportNonce(0), sealed, state.hash);
    return state;
  }

  /** "<- e, ee, se": all but ee he can compute, and in its place he puts whatever he has. */
  #guessKeys(
    state: NoiseState,
    { from, noise }: HandshakeFrame,
    to: Replica,
    answer: HandshakeFrame | undefined,
  ): Buffer[] {
    const asked = noise.subarray(0, 32);
    const answered = answer?.noise.subarray(0, 32);
    const secrets = [
      Buffer.alloc(32),
      asked,
      this.#key(to).exchange(asked),
      this.#key(from).exchange(asked),
      this.#key(from).exchange(this.#key(to).publicKey),
      ...(answered === undefined
        ? []
        : [answered, this.#key(from).exchange(answered), this.#key(to).exchange(answered)]),
    ];
    const inPlaceOfEe = [[], ...secrets.map((secret) => [secret])];
    return inPlaceOfEe.flatMap((ee) =>
      [[], ...secrets.map((secret) => [secret])].flatMap((se) => {
        const guess = { ...state };
        for (const secret of [...ee, ...se]) mix(guess, secret);
        const [toResponder, toInitiator] = hkdf(guess.chainingKey, Buffer.alloc(0));
        return [toResponder, toInitiator, guess.chainingKey, guess.key];
      }),
    );
  }

  #openMessage(frame: MessageFrame, to: Replica, guesses: readonly Buffer[]): Buffer[] {
    const exchange = {
      own: this.#key(frame.from),
      publicKeys: new Map([...this.#keys].map(([party, key]) => [party, key.publicKey])),
      genesisHash: this.#genesisHash,
      spoken: SPOKEN,
    };
    const keys = [
      ...guesses,
      this.lastingKey(frame.from, to),
      this.lastingKey(to, frame.from),
      deriveFrameKey(exchange, frame.from.party, to.party),
      ...PARTY_NUMBERS.map((party) =>
        this.#key(frame.from).exchange(this.#keys.get(party)!.publicKey),
      ),
    ];
    const littleEndian = Buffer.alloc(12);
    littleEndian.writeBigUInt64LE(BigInt(frame.counter), 4);
    for (const key of keys) {
      for (const nonce of [transportNonce(frame.counter), littleEndian]) {
        try {
          return [openBox(key, nonce, frame.box)];
        } catch {
          // not this one
        }
      }
    }
    return [];
  }
}

interface NoiseState {
  chainingKey: Buffer;
  hash: Buffer;
  key: Buffer;
}

function initialState(): NoiseState {
  const hash = Buffer.alloc(32);
  hash.write('Noise_KK_25519_AESGCM_SHA256');
  return { chainingKey: hash, hash, key: Buffer.alloc(32) };
}

function mix(state: NoiseState, secret: Buffer): void {
  [state.chainingKey, state.key] = hkdf(state.chainingKey, secret);
}

function hkdf(chainingKey: Buffer, material: Buffer): [Buffer, Buffer] {
  const output = Buffer.from(hkdfSync('sha256', material, chainingKey, Buffer.alloc(0), 64));
  return [output.subarray(0, 32), output.subarray(32)];
}

function receiverOf(channel: string): Replica {
  const [party, name, boot] = channel.split(':').slice(-3);
  return { party: Number(party) as PartyNumber, name: name!, boot: boot! };
}

function nameOf({ from, number }: Frame, to: Replica): string {
  return `${replicaId(from)} ${replicaId(to)} ${number}`;
}

function isAnswerTo(frame: Frame, ask: Frame, to: Replica): boolean {
  return (
    frame.kind === 'answer' &&
    frame.number === ask.number &&
    replicaId(frame.from) === replicaId(to)
  );
}
