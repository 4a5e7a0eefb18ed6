import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { openBox } from '@countersign/core/aead-box.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { EvidenceSealError } from '@countersign/core/evidence-seal.js';
import { toHex } from '@countersign/core/bytes.js';
import { openFrame } from '../../signer/src/channel/frame.js';
import { transportNonce } from '../../signer/src/channel/noise-kk.js';
import { PairSecrets } from '../../signer/src/secrets/rsa-generation/pair-secrets.js';
import { gcmOpen } from '../../signer/src/secrets/sealing/share-seal.js';
import { repoPaths } from '../support/repo-files.ts';
import { SHORT_TAGS, shortTagBoxes } from '../support/short-tags.ts';

const key = randomBytes(32);
const nonce = randomBytes(12);
const aad = Buffer.from('context');
/** Empty as well: then a short tag is all that there is. */
const PLAINTEXTS = [Buffer.alloc(0), Buffer.from('a secret of this length')];

describe('AES-GCM', () => {
  it('is opened in one place alone, which says how long a tag is', () => {
    const own = repoPaths().filter((path) =>
      /^(shared|gateway|signer|notifier|client|infra|workshop)\/.*\.ts$/.test(path),
    );
    const opening = own.filter(
      (path) => !path.endsWith('.test.ts') && /createDecipheriv/.test(readFileSync(path, 'utf8')),
    );
    expect(opening).toEqual(['shared/core/src/aead-box.ts']);
  });

  it.each(PLAINTEXTS)('with tags of 4, 8 or 12 bytes opens nowhere: %#', (plaintext) => {
    for (const box of shortTagBoxes(key, nonce, plaintext, aad)) {
      expect(() => openBox(key, nonce, box, aad)).toThrow();
      expect(() => gcmOpen(key, Buffer.concat([nonce, box]), aad)).toThrow();
    }
    const from = { party: 2, name: 'a', boot: '5a'.repeat(16) } as const;
    for (const box of shortTagBoxes(key, transportNonce(7), plaintext)) {
      const frame = { kind: 'message', from, number: 1, counter: 7, box } as const;
      expect(() => openFrame(key, frame)).toThrow();
    }
  });

  it.each(PLAINTEXTS)('of evidence with such tags does not open either: %#', (plaintext) => {
    const keys = createEvidenceKeys([key]);
    const keyId = keys.sealEntry(plaintext, aad).subarray(0, 8);
    expect(toHex(keyId)).toBe(keys.ids[0]);
    for (const box of shortTagBoxes(key, nonce, plaintext, aad)) {
      const sealed = Buffer.concat([keyId, nonce, box]);
      expect(() => keys.open(sealed, aad)).toThrow(EvidenceSealError);
    }
    const salted = keys.seal(Buffer.alloc(0), aad);
    for (const tag of SHORT_TAGS) {
      const cut = salted.subarray(0, salted.length - 16 + tag);
      expect(() => keys.open(cut, aad)).toThrow(EvidenceSealError);
    }
  });

  it('of key generation does not open when its tag was cut', () => {
    const secrets = () => ({ own: new Uint8Array(32).fill(1), next: new Uint8Array(32).fill(1) });
    const sealed = new PairSecrets(1, secrets()).seal(2, 'tag', new Uint8Array());
    const receiver = new PairSecrets(2, secrets());
    expect(receiver.open(1, 'tag', sealed)).toHaveLength(0);
    for (const length of [4, 8, 12]) {
      expect(() => receiver.open(1, 'tag', sealed.subarray(0, length))).toThrow('too short');
    }
  });
});
