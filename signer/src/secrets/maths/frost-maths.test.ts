/** The nonces of a partner, when its random source comes to the same state again: a machine that was set back. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sodium } from '@countersign/custody/sodium.js';
import { ed25519_FROST as noble } from '@noble/curves/ed25519.js';
import type { PartnerMathsInput } from '../../threads/thread-tasks.js';
import { commit, COMMITMENT_BYTES } from '../frost/frost-ed25519.js';
import { encodeKeyShare } from '../frost/frost-key-share.js';
import { frostContribution } from './frost-maths.js';

const idOf = (party: number) => noble.Identifier.fromNumber(party);
const PARTNER = 2;

function dealtKey() {
  const dealt = noble.trustedDealer({ min: 2, max: 3 });
  const [first, second, third] = [1, 2, 3].map((n) => dealt.public.verifyingShares[idOf(n)]!);
  const publicKey = dealt.public.commitments[0]!;
  const share = {
    identifier: PARTNER,
    signingShare: dealt.secretShares[idOf(PARTNER)]!.signingShare,
    groupPublicKey: publicKey,
    verifyingShares: [first!, second!, third!],
  } as const;
  return { publicKey, opened: encodeKeyShare(share) };
}

const key = dealtKey();
const leadCommitments = [1, 2].map((n) => commit(new Uint8Array(32).fill(n), new Uint8Array()));

const INPUT: PartnerMathsInput = {
  key: {
    keyId: 'key',
    version: 1,
    type: 'ed25519',
    publicKey: key.publicKey,
    wrappedDek: new Uint8Array(),
    sealed: new Uint8Array(),
  },
  message: Buffer.from('an order'),
  scheme: 'ed25519',
  leadParty: 1,
  leadCommitment: leadCommitments[0]!.commitment,
};

/** Own commitment and signature share, hex. */
function contribute(change: Partial<PartnerMathsInput> = {}) {
  const bytes = Buffer.from(frostContribution(PARTNER, key.opened, { ...INPUT, ...change }));
  return {
    commitment: bytes.subarray(0, COMMITMENT_BYTES).toString('hex'),
    share: bytes.subarray(COMMITMENT_BYTES).toString('hex'),
  };
}

describe('where the random source repeats itself', () => {
  beforeEach(() => {
    jest.spyOn(sodium, 'randombytes_buf').mockImplementation((bytes) => {
      bytes.fill(7);
    });
  });
  afterEach(() => void jest.restoreAllMocks());

  it.each<[string, Partial<PartnerMathsInput>]>([
    ['message', { message: Buffer.from('another order') }],
    ['commitment of the lead', { leadCommitment: leadCommitments[1]!.commitment }],
    ['lead', { leadParty: 3 }],
    ['scheme', { scheme: 'ed25519ph' }],
  ])('another %s has other nonces: two shares over one would tell the secret', (_what, change) => {
    expect(contribute(change).commitment).not.toBe(contribute().commitment);
  });

  it('the same ask has the same contribution, byte for byte: nobody learns more from it twice', () => {
    expect(contribute()).toEqual(contribute());
  });

  it('another key has other nonces', () => {
    const other = dealtKey();
    const bytes = frostContribution(PARTNER, other.opened, {
      ...INPUT,
      key: { ...INPUT.key, publicKey: other.publicKey },
    });
    const commitment = Buffer.from(bytes).subarray(0, COMMITMENT_BYTES).toString('hex');
    expect(commitment).not.toBe(contribute().commitment);
  });
});

it('with a random source that works the same ask has other nonces each time', () => {
  expect(contribute().commitment).not.toBe(contribute().commitment);
});
