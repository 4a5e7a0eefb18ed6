import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDurably, requireNew } from './create-durably.js';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'create-durably-')));
});
afterEach(() => rmSync(home, { recursive: true }));

describe('a file that is made for good', () => {
  it('is for its owner alone, in a folder for its owner alone', () => {
    const path = join(home, 'new', 'key');
    createDurably(path, 'secret');
    expect(readFileSync(path, 'utf8')).toBe('secret');
    expect([statSync(join(home, 'new')).mode & 0o777, statSync(path).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  it('is written over no other', () => {
    const path = join(home, 'key');
    writeFileSync(path, 'old');
    expect(() => createDurably(path, 'new')).toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it('is on the disk, and so is each folder that names what was made', () => {
    const synced: string[] = [];
    const sync = (file: number) => void synced.push(readlinkSync(`/proc/self/fd/${file}`));
    createDurably(join(home, 'a/b/key'), 'secret', { sync });
    const within = ['a/b/key', 'a/b', 'a'].map((name) => join(home, name));
    expect(synced).toEqual([...within, home]);
    createDurably(join(home, 'a/b/other'), 'secret', { sync });
    expect(synced.slice(4)).toEqual([join(home, 'a/b/other'), join(home, 'a/b')]);
  });

  it('is not there at all where the disk does not take it', () => {
    const path = join(home, 'key');
    const sync = () => {
      throw new Error('ENOSPC');
    };
    expect(() => createDurably(path, 'secret', { sync })).toThrow('ENOSPC');
    expect(existsSync(path)).toBe(false);
  });
});

it('what belongs together is not begun where some of it is there', () => {
  const [first, second] = [join(home, 'first'), join(home, 'second')];
  expect(() => requireNew([first, second])).not.toThrow();
  writeFileSync(second, '');
  expect(() => requireNew([first, second])).toThrow(`EEXIST: ${second} is there`);
});
