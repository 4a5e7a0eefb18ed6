import { randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { importKeyRequest } from '@countersign/api/requests/keys.js';
import {
  decodeHmacPayload,
  publicPackageHash,
  type ImportPackage,
} from '@countersign/custody/import-package.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { collectParts, PAIRS, xorAll } from '../../fixtures/join-parts.js';
import { ed25519Key, pemOf, publicHalf, rsaKey } from '../../fixtures/key-files.js';
import {
  createTestVault,
  openShare,
  signedRow,
  type RecipientsAnswer,
  type TestVault,
} from '../../fixtures/vault-parties.js';
import { publicKeyOf, type ImportedSecret } from '../keys/imported-secret.js';
import { readKeyFile } from '../keys/read-key-file.js';
import { buildImportRequest, type ImportRequestBody } from './build-import-request.js';
import { rsaTestKey } from '../../../test/support/rsa-test-keys.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const userId = randomUUID();
const hmac = readKeyFile(Buffer.from('NhqPtmdSJYdKjVHj'), {
  type: 'hmac',
  encoding: 'utf8',
  venuePassphrase: 'third secret',
});
const ed25519 = readKeyFile(pemOf(ed25519Key, 'pkcs8'), { type: 'ed25519' });
const rsa = readKeyFile(pemOf(rsaKey, 'pkcs1'), { type: 'rsa' });

let vault: TestVault;
let recipients: RecipientsAnswer;

beforeAll(async () => {
  vault = await createTestVault();
  recipients = await vault.answer(NOW + 60_000);
});

function build(secret: ImportedSecret, more: object = {}): Promise<ImportRequestBody> {
  const { genesisHash, identities } = vault;
  const fixed = { recipients, genesisHash, identities, userId, now: NOW, displayName: 'key' };
  return buildImportRequest({ ...fixed, secret, ...more });
}

/** Each party opens its own share. */
function openAll(body: ImportRequestBody): Promise<ImportPackage[]> {
  const { genesisHash } = vault;
  return Promise.all(
    body.shares.map(({ party, sealed }) =>
      openShare(sealed, partyOf(party), { genesisHash, party, userId, type: body.type }),
    ),
  );
}

function partyOf(party: PartyNumber) {
  return vault.parties[party - 1]!;
}

describe('the body', () => {
  test('of an HMAC secret says what the venue is and how it writes the secret', async () => {
    const body = await build(hmac, {
      scheme: 'hmac_sha512',
      description: 'main account',
      venueId: 'gate',
      venueApiKey: 'k-1',
      labels: { desk: 'a' },
    });
    expect(body).toEqual({
      type: 'hmac',
      scheme: 'hmac_sha512',
      display_name: 'key',
      description: 'main account',
      venue_id: 'gate',
      venue_api_key: 'k-1',
      labels: { desk: 'a' },
      encoding: 'utf8',
      shares: recipients.recipients.map(({ party, recipient_id }) => ({
        party,
        recipient_id,
        sealed: expect.stringMatching(/^[A-Za-z0-9+/]{200,}={0,2}$/),
      })),
    });
  });

  test('of an Ed25519 key names its public key, 32 bytes', async () => {
    const body = await build(ed25519);
    expect(body).toMatchObject({ type: 'ed25519', encoding: 'pkcs8' });
    expect(body.public_key).toBe(publicHalf.toString('base64'));
  });

  test('of an RSA key names its public key, SPKI', async () => {
    const body = await build(rsa);
    expect(body).toMatchObject({ type: 'rsa', encoding: 'pkcs1' });
    const spki = publicKeyOf(rsa)?.export({ format: 'der', type: 'spki' });
    expect(body.public_key).toBe(spki?.toString('base64'));
  });

  test('has nothing that was not given', async () => {
    const keys = ['type', 'display_name', 'encoding', 'shares'];
    expect(Object.keys(await build(hmac))).toEqual(keys);
  });

  test('is one that the service takes, also for the longest secrets', async () => {
    const longest = readKeyFile(Buffer.alloc(2048, 'x'), {
      type: 'hmac',
      encoding: 'utf8',
      venuePassphrase: 'y'.repeat(512),
    });
    const { privateKey } = rsaTestKey('4096');
    const longRsa = readKeyFile(pemOf(privateKey, 'pkcs8'), { type: 'rsa' });
    const labels = { desk: 'a' };
    const named = { venueId: 'gate', venueApiKey: 'k-1', description: 'main', labels };
    for (const secret of [hmac, ed25519, rsa, longest, longRsa]) {
      for (const more of [{}, named]) {
        const body = await build(secret, more);
        expect(importKeyRequest.body.read(body)).toMatchObject({ value: body });
      }
    }
  });

  test('has no scheme of another key type', async () => {
    await expect(build(hmac, { scheme: 'ed25519' })).rejects.toThrow(RangeError);
  });
});

describe('the sealed shares', () => {
  test('open to their parties, and any two give an HMAC secret back', async () => {
    const opened = await openAll(await build(hmac));
    expect(opened.map(({ party }) => party)).toEqual(PARTY_NUMBERS);
    const parts = { 1: opened[0]!.part, 2: opened[1]!.part, 3: opened[2]!.part };
    for (const pair of PAIRS) {
      const payload = decodeHmacPayload(xorAll(collectParts(parts, pair)));
      expect(payload).toEqual({
        secret: Buffer.from('NhqPtmdSJYdKjVHj'),
        passphrase: 'third secret',
      });
    }
  });

  test.each(['hmac', 'ed25519', 'rsa'] as const)(
    'carry one and the same public package (%s)',
    async (type) => {
      const opened = await openAll(await build({ hmac, ed25519, rsa }[type]));
      const hashes = opened.map(({ common }) => publicPackageHash(common).toString('hex'));
      expect(new Set(hashes).size).toBe(1);
      expect(opened.every(({ common, part }) => common.type === type && part.type === type)).toBe(
        true,
      );
    },
  );

  test('are 32 bytes of key, the package, and 16 bytes of tag', async () => {
    const { shares } = await build(ed25519);
    // u8 party, field(field(domain), field(type), two commitments), signing share
    const domains = 4 + 'countersign import package v1'.length + 4 + 'ed25519'.length;
    const packageLength = 1 + 4 + domains + 64 + 32;
    for (const { sealed } of shares) {
      expect(Buffer.from(sealed, 'base64')).toHaveLength(32 + packageLength + 16);
    }
  });

  test('do not open to another party, for another user, vault or key type, or as another’s', async () => {
    const { shares } = await build(hmac);
    const [{ sealed }] = shares as [ImportRequestBody['shares'][0]];
    const context = { genesisHash: vault.genesisHash, party: 1, userId, type: 'hmac' } as const;
    await expect(openShare(sealed, partyOf(1), context)).resolves.toBeDefined();
    const others = [
      { userId: randomUUID() },
      { genesisHash: randomBytes(32).toString('hex') },
      { party: 2 as const },
      { type: 'rsa' as const },
    ];
    for (const other of others) {
      const opening = openShare(sealed, partyOf(1), { ...context, ...other });
      await expect(opening).rejects.toThrow();
    }
    await expect(openShare(sealed, partyOf(2), context)).rejects.toThrow();
    await expect(openShare(sealed, partyOf(2), { ...context, party: 2 })).rejects.toThrow();
  });

  test('do not open when a bit was changed', async () => {
    const { shares } = await build(ed25519);
    const context = { genesisHash: vault.genesisHash, party: 1, userId, type: 'ed25519' } as const;
    for (const position of [0, 31, 32, 100, -1]) {
      const bytes = Buffer.from(shares[0]!.sealed, 'base64');
      bytes[(position + bytes.length) % bytes.length]! ^= 1;
      const opening = openShare(bytes.toString('base64'), partyOf(1), context);
      await expect(opening).rejects.toThrow();
    }
  });

  test('differ from one import of a secret to the next', async () => {
    const [first, second] = await Promise.all([build(hmac), build(hmac)]);
    for (const [index, { sealed }] of first.shares.entries()) {
      expect(sealed).not.toBe(second.shares[index]?.sealed);
    }
  });
});

describe('nothing is sealed', () => {
  test('when a recipient is not signed by its party', async () => {
    const forged = structuredClone(recipients);
    forged.recipients[2]!.public_key = randomBytes(32).toString('base64');
    const building = build(hmac, { recipients: forged });
    await expect(building).rejects.toMatchObject({ errType: 'untrusted' });
  });

  test('when the recipients have expired', async () => {
    const building = build(hmac, { now: NOW + 60_000 });
    await expect(building).rejects.toMatchObject({ errType: 'untrusted' });
  });

  test('to a key of low order, with which everybody could open it', async () => {
    const lowOrder = structuredClone(recipients);
    const zero = Buffer.alloc(32);
    lowOrder.recipients[0] = signedRow(partyOf(1), zero, NOW + 60_000, vault.genesisHash);
    const building = build(hmac, { recipients: lowOrder });
    await expect(building).rejects.toMatchObject({ errType: 'untrusted' });
  });

  test('of the secret in the request itself', async () => {
    const text = JSON.stringify(await build(hmac));
    for (const encoding of ['utf8', 'hex', 'base64'] as const) {
      expect(text).not.toContain(Buffer.from('NhqPtmdSJYdKjVHj').toString(encoding));
      expect(text).not.toContain(Buffer.from('third secret').toString(encoding));
    }
  });
});

test('the secret is left to its owner', async () => {
  await build(hmac);
  expect(hmac).toMatchObject({ secret: Buffer.from('NhqPtmdSJYdKjVHj') });
});
