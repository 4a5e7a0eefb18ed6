/** A PKCS#11 token in software: SoftHSM2, as Debian packages it. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './run-where.ts';

const LIBRARY = '/usr/lib/softhsm/libsofthsm2.so';
export const HAS_SOFT_TOKEN = existsSync(LIBRARY) && findProgram('softhsm2-util');

export interface SoftToken {
  /** Where the library finds its tokens: `SOFTHSM2_CONF` of whoever uses it. */
  readonly configFile: string;
  /** The settings of the provider, as a file. */
  readonly settingsFile: string;
  readonly pinFile: string;
  /** For a process that is started with nothing but its own settings: Node's own arguments. */
  readonly execArgv: readonly string[];
  /** Puts another secret key of this label into the token. */
  addKey(label: string): void;
  /** As a token that is pulled out; `plugIn` puts it back. */
  pullOut(): void;
  plugIn(): void;
}

/** `home`: an empty folder of its own. */
export function makeSoftToken(home: string): SoftToken {
  const tokens = join(home, 'tokens');
  mkdirSync(tokens, { recursive: true });
  const write = (name: string, text: string) => {
    writeFileSync(join(home, name), text, { mode: 0o600 });
    return join(home, name);
  };
  const configOf = (folder: string) =>
    `directories.tokendir = ${folder}\nobjectstore.backend = file\nlog.level = ERROR\n`;
  const configFile = write('softhsm2.conf', configOf(tokens));
  const [pin, pinFile] = ['4711-pin', write('pin', '4711-pin\n')];
  const util = (...args: string[]) =>
    execFileSync('softhsm2-util', args, { env: { ...process.env, SOFTHSM2_CONF: configFile } });
  const addKey = (label: string) => {
    const file = join(home, 'key.raw');
    // the program reads a key up to its first byte 0: one key in eight would be too short, and answered CKR_MECHANISM_INVALID
    const key = randomBytes(32).map((byte) => byte || 1);
    writeFileSync(file, key, { mode: 0o600 });
    const id = randomBytes(4).toString('hex');
    const where = ['--token', 'party', '--label', label, '--id', id, '--pin', pin];
    util('--import', file, '--aes', ...where);
    rmSync(file);
  };
  util('--init-token', '--free', '--label', 'party', '--so-pin', '0815-so-pin', '--pin', pin);
  addKey('countersign');
  const settings = { provider: 'pkcs11', library: LIBRARY, token: 'party', key: 'countersign' };
  const settingsFile = write('token.json', JSON.stringify({ ...settings, pin_file: pinFile }));
  const setting = `process.env.SOFTHSM2_CONF = ${JSON.stringify(configFile)};`;
  return {
    configFile,
    settingsFile,
    pinFile,
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(setting)}`],
    addKey,
    pullOut: () => {
      mkdirSync(join(home, 'nothing'), { recursive: true });
      write('softhsm2.conf', configOf(join(home, 'nothing')));
    },
    plugIn: () => void write('softhsm2.conf', configOf(tokens)),
  };
}
