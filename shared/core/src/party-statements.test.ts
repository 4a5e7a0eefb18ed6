import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  acknowledgementMessage,
  anchorMessage,
  countersignatureMessage,
  type Acknowledgement,
  type Anchor,
  type Countersignature,
} from './party-statements.js';

const genesisHash = randomBytes(32).toString('hex');
const hash = Buffer.alloc(32, 5);
const otherHash = Buffer.alloc(32, 6);

const countersignature: Countersignature = {
  party: 1,
  seq: 7,
  hash,
  at: 1_767_614_400_000,
  rules: 1,
  newestRules: 2,
};
const acknowledgement: Acknowledgement = { party: 1, seq: 7, hash };
const chain = { chainId: 'party_1-a', seq: 7, hash };
const anchor: Anchor = { party: 1, chains: [chain] };

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** Whether no two of the messages are the same, nor begin as another one goes on. */
function areApart(messages: readonly Uint8Array[]): boolean {
  const texts = messages.map(hex);
  return texts.every((text, index) =>
    texts.every((other, otherIndex) => index === otherIndex || !other.startsWith(text)),
  );
}

describe('what a party signs about the ledger', () => {
  it('is another message for every kind of statement, however alike they are', () => {
    expect(
      areApart([
        countersignatureMessage(countersignature, genesisHash),
        acknowledgementMessage(countersignature, genesisHash),
        anchorMessage({ party: 1, chains: [] }, genesisHash),
        anchorMessage(anchor, genesisHash),
      ]),
    ).toBe(true);
  });

  it('in a countersignature is every field of it, and the vault', () => {
    const changes: Partial<Countersignature>[] = [
      {},
      { party: 2 },
      { seq: 8 },
      { hash: otherHash },
      { at: countersignature.at + 1 },
      { rules: 2 },
      { newestRules: 1 },
    ];
    const messages = changes.map((change) =>
      countersignatureMessage({ ...countersignature, ...change }, genesisHash),
    );
    const elsewhere = countersignatureMessage(countersignature, hex(otherHash));
    expect(areApart([...messages, elsewhere])).toBe(true);
  });

  it('in an acknowledgement is every field of it, and the vault', () => {
    const changes: Partial<Acknowledgement>[] = [{}, { party: 2 }, { seq: 8 }, { hash: otherHash }];
    const messages = changes.map((change) =>
      acknowledgementMessage({ ...acknowledgement, ...change }, genesisHash),
    );
    const elsewhere = acknowledgementMessage(acknowledgement, hex(otherHash));
    expect(areApart([...messages, elsewhere])).toBe(true);
  });

  it('in an anchor is every field of every chain, their order and number, and the vault', () => {
    const second = { ...chain, chainId: 'party_1-b' };
    const chains: (readonly (typeof chain)[])[] = [
      [],
      [chain],
      [chain, chain],
      [chain, second],
      [second, chain],
      [{ ...chain, chainId: 'party_1-' }],
      [{ ...chain, seq: 8 }],
      [{ ...chain, hash: otherHash }],
    ];
    const messages = chains.map((each) => anchorMessage({ party: 1, chains: each }, genesisHash));
    const others = [
      anchorMessage({ ...anchor, party: 2 }, genesisHash),
      anchorMessage(anchor, hex(otherHash)),
    ];
    expect(areApart([...messages, ...others])).toBe(true);
  });

  it('is laid out byte for byte: what is in a ledger must verify in every later release', () => {
    const zeros = '00'.repeat(32);
    const head = `01${'0700000000000000'}${hex(hash)}`;
    const field = (text: string) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(text.length);
      return `${hex(length)}${hex(Buffer.from(text))}`;
    };
    const begins = (text: string) => `${field(text)}${field(zeros)}`;
    expect(hex(acknowledgementMessage(acknowledgement, zeros))).toBe(
      `${begins('countersign acknowledgement v1')}${head}`,
    );
    expect(hex(countersignatureMessage(countersignature, zeros))).toBe(
      `${begins('countersign countersignature v1')}${head}0046078e9b0100000100000002000000`,
    );
    expect(hex(anchorMessage(anchor, zeros))).toBe(
      `${begins('countersign anchor v1')}0101000000${field('party_1-a')}0700000000000000${hex(hash)}`,
    );
  });
});
