import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { PartyNumber } from '@countersign/core/parties.js';
import { decodeBackup, encodeBackup, type PartyBackup } from './party-backup.js';

const pairs = new Map(([1, 2, 3] as const).map((party) => [party, generateKeyPairSync('ed25519')]));
const identityOf = (party: PartyNumber) =>
  Buffer.from(pairs.get(party)!.publicKey.export({ format: 'jwk' }).x!, 'base64url');
const signAs = (party: PartyNumber) => (message: Uint8Array) =>
  sign(null, message, pairs.get(party)!.privateKey);

const BACKUP: PartyBackup = {
  party: 3,
  genesis_hash: 'ab'.repeat(32),
  made_at: '2026-11-25T00:00:00.000Z',
  ledger_head: { seq: 7, hash: 'cd'.repeat(32) },
  key_folder: { kek: 'AAAA', identity: 'AAAA', exchange: 'AAAA' },
  evidence_keys: '{}',
  shares: [],
};

function read(bytes: Buffer): PartyBackup {
  const { backup, requireSigned } = decodeBackup(bytes);
  requireSigned(identityOf(backup.party));
  return backup;
}

describe('the backup of a party', () => {
  it('reads back as it was made', () => {
    expect(read(encodeBackup(BACKUP, signAs(3)))).toEqual(BACKUP);
  });

  it('is nothing that another party made in its name', () => {
    const forged = encodeBackup(BACKUP, signAs(2));
    expect(() => read(forged)).toThrow('party 3 of this vault did not make');
  });

  it('is nothing that was changed afterwards', () => {
    const { content, signature } = JSON.parse(encodeBackup(BACKUP, signAs(3)).toString()) as Record<
      'content' | 'signature',
      string
    >;
    const changed = { content: content.replace('"seq":7', '"seq":8'), signature };
    expect(changed.content).not.toBe(content);
    expect(() => read(Buffer.from(JSON.stringify(changed)))).toThrow('did not make');
  });

  it('says nothing that this release does not read', () => {
    const more = encodeBackup({ ...BACKUP, more: 1 } as PartyBackup, signAs(3));
    expect(() => read(more)).toThrow('more');
  });
});
