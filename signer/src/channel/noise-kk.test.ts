import { describe, expect, it } from '@jest/globals';
import { openBox, sealBox } from '@countersign/core/aead-box.js';
import {
  answerHandshake,
  HANDSHAKE_BYTES,
  initiateHandshake,
  transportNonce,
  type HandshakeInput,
} from './noise-kk.js';
import { newX25519Key, x25519Key } from './x25519.js';

/**
 * The vector of Noise_KK_25519_AESGCM_SHA256 that the cacophony library publishes, as snow carries it
 * (https://github.com/mcginty/snow, tests/vectors/cacophony.txt).
 */
const VECTOR = {
  prologue: '4a6f686e2047616c74',
  initiator: {
    secret: 'e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1',
    ephemeral: '893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a',
    publicKey: '6bc3822a2aa7f4e6981d6538692b3cdf3e6df9eea6ed269eb41d93c22757b75a',
  },
  responder: {
    secret: '4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893',
    ephemeral: 'bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b',
    publicKey: '31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62',
  },
  messages: [
    [
      '4c756477696720766f6e204d69736573',
      'ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c79448564738a841228e693caeec4c497a8bd562231c3e51a1f03c4fd45dfe3a67870',
    ],
    [
      '4d757272617920526f746862617264',
      '95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843b94504c4d83506f5dd2568b68490eba8ed6f9cf2cca194a273c56d7ae3c558',
    ],
    ['462e20412e20486179656b', '6a5c10a201d4e3a08f79f64949e55731f774913a4d949bda3fcebf'],
    ['4361726c204d656e676572', '4e8a1bf06926fdd74e2f516e2b0c11cc1dc3387fadeb75389d4342'],
    [
      '4a65616e2d426170746973746520536179',
      'c1df7194ca8ea51d4dd99059bc9b90288112d47237d8481f1773fb26a31629a05c',
    ],
    [
      '457567656e2042f6686d20766f6e2042617765726b',
      '3edba4feaf590ee88dd8f5fba51db4bee651cf41afd410fe476c524ac9b1db24252fc55ff8',
    ],
  ],
} as const;

const hex = (text: string) => Buffer.from(text, 'hex');
const payloadOf = (index: number) => hex(VECTOR.messages[index]![0]);
const ciphertextOf = (index: number) => hex(VECTOR.messages[index]![1]);

function vectorInput(role: 'initiator' | 'responder', payload: Buffer): HandshakeInput {
  const peer = role === 'initiator' ? VECTOR.responder : VECTOR.initiator;
  return {
    prologue: hex(VECTOR.prologue),
    own: x25519Key(hex(VECTOR[role].secret)),
    peer: hex(peer.publicKey),
    ephemeral: x25519Key(hex(VECTOR[role].ephemeral)),
    payload,
  };
}

const [one, two] = [newX25519Key(), newX25519Key()];
const prologue = Buffer.from('a prologue');
const ofOne = { prologue, own: one, peer: two.publicKey };
const ofTwo = { prologue, own: two, peer: one.publicKey };

describe('Noise_KK_25519_AESGCM_SHA256', () => {
  it('is what the published vector says, byte for byte, handshake and transport', () => {
    const started = initiateHandshake(vectorInput('initiator', payloadOf(0)));
    expect(started.message).toEqual(ciphertextOf(0));
    const answered = answerHandshake(vectorInput('responder', payloadOf(1)), started.message);
    expect(answered.payload).toEqual(payloadOf(0));
    expect(answered.answer).toEqual(ciphertextOf(1));
    const finished = started.finish(answered.answer);
    expect(finished.payload).toEqual(payloadOf(1));
    expect(finished.keys).toEqual(answered.keys);
    for (const [index, counter] of [
      [2, 0],
      [3, 0],
      [4, 1],
      [5, 1],
    ] as const) {
      const key = index % 2 === 0 ? finished.keys.toResponder : finished.keys.toInitiator;
      const sealed = sealBox(key, transportNonce(counter), payloadOf(index));
      expect(sealed).toEqual(ciphertextOf(index));
      expect(openBox(key, transportNonce(counter), sealed)).toEqual(payloadOf(index));
    }
  });

  it('gives both ends the same two keys, and others each time', () => {
    const keys = [1, 2].flatMap(() => {
      const started = initiateHandshake(ofOne);
      expect(started.message).toHaveLength(HANDSHAKE_BYTES);
      const { answer, keys: theirs } = answerHandshake(ofTwo, started.message);
      expect(started.finish(answer).keys).toEqual(theirs);
      return [theirs.toInitiator, theirs.toResponder].map((key) => key.toString('hex'));
    });
    expect(new Set(keys).size).toBe(4);
  });
});

describe('a handshake', () => {
  const mallory = newX25519Key();

  it('is answered for nobody else, with no other prologue and after no change', () => {
    const { message } = initiateHandshake(ofOne);
    const other = Buffer.from('another prologue');
    expect(() => answerHandshake({ ...ofTwo, prologue: other }, message)).toThrow();
    expect(() => answerHandshake({ ...ofTwo, peer: mallory.publicKey }, message)).toThrow();
    const forged = initiateHandshake({ ...ofOne, own: mallory }).message;
    expect(() => answerHandshake(ofTwo, forged)).toThrow();
    for (let at = 0; at < message.length; at++) {
      const altered = Buffer.from(message);
      altered[at]! ^= 1;
      expect(() => answerHandshake(ofTwo, altered)).toThrow();
      expect(() => answerHandshake(ofTwo, message.subarray(0, at))).toThrow();
    }
  });

  it('is finished by the true answer alone, also after false ones', () => {
    const started = initiateHandshake(ofOne);
    const { answer, keys } = answerHandshake(ofTwo, started.message);
    const elsewhere = answerHandshake(ofTwo, initiateHandshake(ofOne).message).answer;
    expect(() => started.finish(elsewhere)).toThrow();
    for (let at = 0; at < answer.length; at++) {
      const altered = Buffer.from(answer);
      altered[at]! ^= 1;
      expect(() => started.finish(altered)).toThrow();
    }
    expect(started.finish(answer).keys).toEqual(keys);
  });

  it('refuses points of small order', () => {
    const low = Buffer.concat([Buffer.alloc(32), Buffer.alloc(16)]);
    expect(() => answerHandshake(ofTwo, low)).toThrow();
    expect(() => initiateHandshake({ ...ofOne, peer: Buffer.alloc(32) })).toThrow();
  });

  it('leaves no ephemeral key behind', () => {
    const ephemerals = [newX25519Key(), newX25519Key()] as const;
    const started = initiateHandshake({ ...ofOne, ephemeral: ephemerals[0] });
    const { answer } = answerHandshake({ ...ofTwo, ephemeral: ephemerals[1] }, started.message);
    started.finish(answer);
    started.wipe();
    for (const key of ephemerals) {
      expect(() => key.exchange(one.publicKey)).toThrow('wiped');
    }
    expect(() => started.finish(answer)).toThrow();
  });
});

describe('an X25519 key', () => {
  it('lies in the memory it was given, and is wiped there', () => {
    const secret = Buffer.alloc(32, 7);
    const key = x25519Key(secret);
    expect(key.exchange(one.publicKey)).toEqual(one.exchange(key.publicKey));
    expect(JSON.stringify(key)).not.toContain(secret.toString('hex'));
    key.wipe();
    expect(secret).toEqual(Buffer.alloc(32));
  });

  it('of another length is none', () => {
    expect(() => x25519Key(Buffer.alloc(31))).toThrow(RangeError);
    expect(() => one.exchange(Buffer.alloc(33))).toThrow(RangeError);
  });
});
