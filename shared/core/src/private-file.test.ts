import { describe, expect, it } from '@jest/globals';
import { letsOthersIn } from './private-file.js';

const ROOTS = { uid: 0, gid: 0 };
const CREDENTIAL = '/run/credentials/countersign-party@1.service/kek';

describe('a private file', () => {
  it('is one that its owner alone may open', () => {
    for (const mode of [0o100600, 0o100400, 0o100700]) {
      expect(letsOthersIn('/etc/kek.key', { mode, uid: 7, gid: 7 })).toBe(false);
    }
    for (const mode of [0o640, 0o604, 0o660, 0o610, 0o601, 0o440]) {
      expect(letsOthersIn('/etc/kek.key', { mode: 0o100000 | mode, ...ROOTS })).toBe(true);
    }
  });

  it('may be a credential of systemd, whose mode shows an access control list', () => {
    expect(letsOthersIn(CREDENTIAL, { mode: 0o100440, ...ROOTS })).toBe(false);
  });

  it("is no credential that others may open or that is not root's", () => {
    for (const mode of [0o100444, 0o100460, 0o100640 | 0o001, 0o100450]) {
      expect(letsOthersIn(CREDENTIAL, { mode, ...ROOTS })).toBe(true);
    }
    expect(letsOthersIn(CREDENTIAL, { mode: 0o100440, uid: 0, gid: 7 })).toBe(true);
    expect(letsOthersIn(CREDENTIAL, { mode: 0o100440, uid: 7, gid: 0 })).toBe(true);
  });

  it('is no credential by a way that leads out of the folder', () => {
    const path = '/run/credentials/../user/kek';
    expect(letsOthersIn(path, { mode: 0o100440, ...ROOTS })).toBe(true);
    expect(letsOthersIn('/run/credentials-of-mine/kek', { mode: 0o100440, ...ROOTS })).toBe(true);
  });
});
