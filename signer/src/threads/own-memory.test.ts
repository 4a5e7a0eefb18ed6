import { describe, expect, it } from '@jest/globals';
import { ownBytes, ownLeadItems, ownPartnerItems } from './own-memory.js';
import type { LeadItem, PartnerItem } from './thread-tasks.js';

/** A view into a slab that holds a secret of somebody else. */
function view(text: string): Uint8Array {
  const slab = Buffer.from(`a secret of somebody else ${text}`);
  return slab.subarray(slab.length - text.length);
}

const MATHS = {
  evidence: {
    digest: view('digest'),
    assertion: view('assertion'),
    callerKey: { kind: 'ed25519' as const, publicKey: view('caller') },
  },
  key: {
    keyId: 'k',
    version: 1,
    type: 'ed25519',
    wrappedDek: view('dek'),
    sealed: view('sealed'),
    publicKey: view('public'),
  },
  message: view('message'),
  scheme: 'ed25519',
} as const;
const PARTNER: PartnerItem = { ...MATHS, leadParty: 1, leadCommitment: view('commitment') };
const LEAD: LeadItem = {
  ...MATHS,
  partnerParty: 2,
  slot: 3,
  serial: 4,
  contribution: view('contribution'),
};

/** All bytes in a value, wherever they are. */
function bytesIn(value: unknown): Uint8Array[] {
  if (value instanceof Uint8Array) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(bytesIn);
}

const texts = (value: unknown) => bytesIn(value).map((bytes) => Buffer.from(bytes).toString());

describe('bytes that are posted to a thread', () => {
  it('take no other memory with them', () => {
    const own = ownBytes(view('message'));
    expect(Buffer.from(own.buffer).toString()).toBe('message');
  });

  it('are not copied when they have memory of their own', () => {
    const bytes = new Uint8Array(5);
    expect(ownBytes(bytes)).toBe(bytes);
  });

  it.each([
    ['partner', [PARTNER, PARTNER], ownPartnerItems([PARTNER, PARTNER])],
    ['lead', [LEAD, LEAD], ownLeadItems([LEAD, LEAD])],
  ])(
    "are every one that a %s's items have, unchanged, in one memory of just that size",
    (_, items, own) => {
      expect(texts(own)).toEqual(texts(items));
      expect(texts(own)).toHaveLength(16);
      const memories = new Set(bytesIn(own).map(({ buffer }) => buffer));
      expect(memories.size).toBe(1);
      expect([...memories][0]!.byteLength).toBe(texts(items).join('').length);
      expect(own).toMatchObject(items.map(() => ({ scheme: 'ed25519', key: { keyId: 'k' } })));
    },
  );
});
