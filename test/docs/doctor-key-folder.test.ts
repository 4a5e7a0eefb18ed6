/** What `countersign doctor` knows of a party's folder is what the party has there: the operator's tools import no party. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import {
  KEK_NAME,
  ROTATION_NAME,
  SEALED_KEY,
  SEALED_KEYS,
} from '../../infra/admin/src/doctor/process-variables.ts';
import { partyKeyFiles, waiting } from '../../signer/src/party/party-keys.ts';
import { createPartyKeys } from '../../signer/src/secrets/create-party-keys.ts';

it('the doctor knows the files of a key folder', () => {
  const { kek, ...sealed } = partyKeyFiles('');
  expect(SEALED_KEYS.toSorted()).toEqual(Object.values(sealed).toSorted());
  expect(KEK_NAME).toBe(kek);
  expect(ROTATION_NAME).toBe(waiting(sealed.identity));
});

it('the doctor knows the size and the version of a sealed key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-key-folder-'));
  try {
    await createPartyKeys(folder, 1);
    for (const name of SEALED_KEYS) {
      const sealed = readFileSync(join(folder, name));
      expect({ bytes: sealed.length, version: sealed[0] }).toEqual(SEALED_KEY);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
