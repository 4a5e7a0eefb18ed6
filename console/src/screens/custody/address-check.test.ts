import { sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keyAttestationMessage } from '@countersign/core/attestation.js';
import { rawPublicKey, testPrivateKey } from '../../../../test/support/ledger-builder.ts';
import { pinnedFrom } from '../../vault/trusted-genesis.js';
import { isAddressAttested, type ListedWallet } from './address-check.js';

const GENESIS = 'ab'.repeat(32);
const PARTIES = [1, 2, 3].map((party) => ({
  party,
  key: testPrivateKey(`console party ${party}`),
}));
const GENESIS_TEXT = JSON.stringify({
  genesis_hash: GENESIS,
  parties: PARTIES.map(({ party, key }) => ({
    party,
    identity_public_key: rawPublicKey(key).toString('base64'),
  })),
});
const PINNED = pinnedFrom(GENESIS_TEXT)!;
const PUBLIC_KEY = rawPublicKey(testPrivateKey('console wallet'));
const CEREMONY = 'cd'.repeat(32);

const signedBy = (
  key: KeyObject,
  more: Partial<Parameters<typeof keyAttestationMessage>[0]> = {},
  genesisHash = GENESIS,
) =>
  sign(
    null,
    keyAttestationMessage(
      {
        vaultId: 'a vault',
        keyId: 'a key',
        keyType: 'ed25519',
        publicKey: PUBLIC_KEY,
        address: 'an address',
        ceremonyHash: Buffer.from(CEREMONY, 'hex'),
        ...more,
      },
      genesisHash,
    ),
    key,
  ).toString('base64');

const WALLET = {
  vault_id: 'a vault',
  key_id: 'a key',
  address: 'an address',
  public_key: { raw: PUBLIC_KEY.toString('base64'), pem: '' },
  attestations: PARTIES.map(({ party, key }) => ({
    party,
    signature: signedBy(key),
    ceremony_hash: CEREMONY,
  })),
} as unknown as ListedWallet;

describe('an address', () => {
  it('that the three parties of the pinned genesis signed is true', () => {
    expect(isAddressAttested(WALLET, PINNED)).toBe(true);
  });

  it.each<[string, Partial<ListedWallet>]>([
    ['another address is shown', { address: 'of a thief' }],
    ['it is said to be in another vault', { vault_id: 'another' }],
    ['it is said to be of another key', { key_id: 'another' }],
    ['another public key is shown', { public_key: { raw: 'AAAA', pem: '' } }],
    ['one party is missing', { attestations: WALLET.attestations.slice(1) }],
    ['one party speaks three times', { attestations: Array(3).fill(WALLET.attestations[0]) }],
    [
      'a signature is of another run',
      {
        attestations: WALLET.attestations.map((one) => ({
          ...one,
          ceremony_hash: 'ee'.repeat(32),
        })),
      },
    ],
  ])('is not where %s', (_what, change) => {
    expect(isAddressAttested({ ...WALLET, ...change }, PINNED)).toBe(false);
  });

  it('is not by the parties of another vault', () => {
    const others = pinnedFrom(GENESIS_TEXT.replaceAll(GENESIS, 'ef'.repeat(32)))!;
    expect(isAddressAttested(WALLET, others)).toBe(false);
  });

  it.each([null, '', '{}', '7', '<script>', GENESIS_TEXT.replace('"party":3', '"party":2')])(
    'is checked by no genesis that is none: %#',
    (text) => expect(pinnedFrom(text)).toBeUndefined(),
  );
});
