import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { sodium } from '@countersign/custody/sodium.js';
import { createNoncePoolMemory } from '../../threads/nonce-memory.js';
import { openFileKek } from '../kek/file-kek.js';
import { writeSealedKey } from '../sealing/sealed-key-file.js';
import { openThreadState } from './thread-state.js';

it('makes other nonces ahead after each start, also when the random source repeats itself', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-thread-state-'));
  const secretFile = (name: string) => {
    writeFileSync(join(directory, name), new Uint8Array(32).fill(5), { mode: 0o600 });
    return join(directory, name);
  };
  const kekFile = secretFile('kek');
  const identityFile = join(directory, 'identity');
  const context = { kek: openFileKek(kekFile), party: 1, purpose: 'identity' } as const;
  writeSealedKey(identityFile, context, new Uint8Array(32).fill(5));
  const files = { kekFile, identityFile, exchangeFile: join(directory, 'none') };
  const repeats = jest.spyOn(sodium, 'randombytes_buf').mockImplementation((bytes) => {
    bytes.fill(7);
  });
  try {
    const fillOnce = async () => {
      const nonceMemory = createNoncePoolMemory(1);
      const state = await openThreadState({ party: 1, ...files, nonceMemory, signsRsa: false });
      return Buffer.from(state.noncePool.fill(0, 1)).toString('hex');
    };
    const [one, other] = [await fillOnce(), await fillOnce()];
    expect(one).not.toBe(other);
  } finally {
    repeats.mockRestore();
    rmSync(directory, { recursive: true, force: true });
  }
});
