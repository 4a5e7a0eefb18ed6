import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publicPackageHash } from '@countersign/custody/import-package.js';
import { rsaTestKey } from '../../../../test/support/rsa-test-keys.js';
import { splitRsa } from '../../../../test/support/split-secrets.js';
import { encodeRsaKeyShare, type RsaKeyShare } from '../rsa/rsa-key-share.js';
import { RSA_SHARE_SCHEME } from '../../threads/rsa-public-values.js';
import { openFileKek } from '../kek/file-kek.js';
import { resealRsaShare } from './reseal-rsa-share.js';
import {
  openShare,
  sealShare,
  type KeyEncryptionKey,
  type ShareContext,
} from '../sealing/share-seal.js';
import type { ThreadState } from './thread-state.js';
import type { CompletedShare } from '../../threads/thread-tasks.js';

const pair = rsaTestKey('2048');
const spki = pair.publicKey.export({ format: 'der', type: 'spki' });
const split = splitRsa(pair.privateKey);
const { common } = split[0]!;

/** What party 2 holds of the key, in stock. */
const STOCKED = {
  purpose: 'stock share',
  keyId: 'in stock',
  party: 2,
  scheme: RSA_SHARE_SCHEME,
  version: 1,
} as const;
const ASSIGNED = { keyId: 'of the ledger', version: 1 };
const ASSIGNED_CONTEXT = { ...STOCKED, ...ASSIGNED, purpose: 'key share' } as const;

let directory: string;
let kek: KeyEncryptionKey;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-reseal-'));
  const file = join(directory, 'kek');
  writeFileSync(file, randomBytes(32), { mode: 0o600 });
  kek = openFileKek(file);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function shareOf(party: 1 | 2 | 3): RsaKeyShare {
  const { part } = split[party - 1]!;
  if (common.type !== 'rsa' || part.type !== 'rsa') throw new Error('not an RSA key');
  const [own, next] = part.parts;
  const { modulus, publicExponent, partCommitments } = common;
  return { party, modulus, publicExponent, partCommitments, own, next };
}

interface Stocked {
  readonly share?: RsaKeyShare;
  readonly aad?: Partial<ShareContext>;
  /** What the database says beside the sealed share. */
  readonly said?: object;
  readonly modulusBits?: number;
}

/** Sealed as `aad`, taken for party 2's share in stock. */
async function reseal({
  share = shareOf(2),
  aad,
  said,
  modulusBits = 2048,
}: Stocked = {}): Promise<CompletedShare> {
  const secret = encodeRsaKeyShare(share);
  const sealed = await sealShare({ kek, aad: { ...STOCKED, ...aad }, secret });
  const { keyId, version } = STOCKED;
  const state = { kek, party: 2 } as ThreadState;
  return resealRsaShare(state, {
    from: { keyId, version, ...sealed, ...said },
    to: ASSIGNED,
    modulusBits,
  });
}

function flip(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes, (byte, at) => (at === 100 ? byte ^ 1 : byte));
}

describe('a share made ahead', () => {
  it('is the same secret under another key id', async () => {
    const { wrappedDek, sealed } = await reseal();
    const opened = await openShare({ kek, aad: { ...ASSIGNED_CONTEXT }, wrappedDek, sealed });
    expect(Buffer.from(opened)).toEqual(encodeRsaKeyShare(shareOf(2)));
    const asBefore = openShare({ kek, aad: STOCKED, wrappedDek, sealed });
    await expect(asBefore).rejects.toThrow('does not open');
  });

  it('says of its key what is inside the seal, whatever the database says', async () => {
    const said = { publicKey: randomBytes(294), transcriptHash: randomBytes(32) };
    const { scheme, publicKey, transcriptHash } = await reseal({ said });
    expect(scheme).toBe(RSA_SHARE_SCHEME);
    expect(Buffer.from(publicKey)).toEqual(spki);
    expect(Buffer.from(transcriptHash)).toEqual(publicPackageHash(common));
  });

  it.each<[string, Partial<ShareContext>]>([
    ['a key of the ledger', { purpose: 'key share' }],
    ['an import recipient', { purpose: 'import recipient' }],
    ['another key', { keyId: 'another' }],
    ['another party', { party: 3 }],
    ['another form', { scheme: 'hmac-replicated-v1' }],
    ['another version', { version: 2 }],
  ])('is refused when it was sealed as one of %s', async (_what, aad) => {
    await expect(reseal({ aad })).rejects.toThrow('does not open');
  });

  it('is refused for a key of another size', async () => {
    await expect(reseal({ modulusBits: 4096 })).rejects.toThrow('modulus of 2048 bits');
  });

  it.each([
    ['own part is damaged', () => ({ ...shareOf(2), own: flip(shareOf(2).own) })],
    ['next part is damaged', () => ({ ...shareOf(2), next: flip(shareOf(2).next) })],
    ['party is another', () => shareOf(3)],
  ])('is refused when its %s inside the seal', async (_what, share) => {
    await expect(reseal({ share: share() })).rejects.toThrow('damaged');
  });
});
