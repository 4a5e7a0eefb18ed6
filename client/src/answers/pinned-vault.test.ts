import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { parsePinnedVault } from './pinned-vault.js';

const identity = () =>
  Buffer.from(
    generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '',
    'base64url',
  ).toString('base64');

const genesis = {
  genesis_hash: randomBytes(32).toString('hex'),
  vault_id: 'any',
  parties: [1, 2, 3].map((party) => ({
    party,
    identity_public_key: identity(),
    exchange_public_key: randomBytes(32).toString('base64'),
  })),
};

test('what `countersign genesis` prints is a pinned vault', () => {
  expect(parsePinnedVault(genesis)).toEqual({
    genesisHash: genesis.genesis_hash,
    identities: genesis.parties.map((row) => ({
      party: row.party,
      identityPublicKey: row.identity_public_key,
    })),
  });
});

const [first, second, third] = genesis.parties as [Party, Party, Party];
type Party = (typeof genesis.parties)[0];

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a list', []],
  ['no hash', { ...genesis, genesis_hash: undefined }],
  ['a hash that is none', { ...genesis, genesis_hash: 'abc' }],
  ['no parties', { ...genesis, parties: undefined }],
  ['two parties', { ...genesis, parties: [first, second] }],
  ['four rows', { ...genesis, parties: [...genesis.parties, third] }],
  ['a party twice', { ...genesis, parties: [first, second, { ...third, party: 2 }] }],
  ['one identity for two', { ...genesis, parties: [first, second, { ...first, party: 3 }] }],
  ['a key of low order', { ...genesis, parties: [first, second, lowOrder(third)] }],
  ['a short key', { ...genesis, parties: [first, second, { ...third, identity_public_key: '' }] }],
])('%s is none', (_what, value) => {
  expect(parsePinnedVault(value)).toBeUndefined();
});

function lowOrder(row: Party): Party {
  return { ...row, identity_public_key: Buffer.alloc(32).toString('base64') };
}
