import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createWebhookKey } from './create-webhook-key.js';

let home: string;
let files: [string, string];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'webhook-key-'));
  files = [join(home, 'webhook.key'), join(home, 'webhook-keys.json')];
});
afterEach(() => rmSync(home, { recursive: true }));

describe('the key of events', () => {
  it('is in two files, one of them for its owner alone', () => {
    const key = createWebhookKey(...files);
    expect(JSON.parse(readFileSync(files[1], 'utf8'))).toEqual({ keys: [key] });
    expect(statSync(files[0]).mode & 0o777).toBe(0o600);
    expect(() => createWebhookKey(...files)).toThrow('EEXIST');
  });

  it('is not begun where its public half has no place: the other one would stop the next try', () => {
    writeFileSync(files[1], 'another');
    expect(() => createWebhookKey(...files)).toThrow('EEXIST');
    expect([existsSync(files[0]), readFileSync(files[1], 'utf8')]).toEqual([false, 'another']);
  });

  it('leaves no private half where the public one cannot be written', () => {
    writeFileSync(join(home, 'file'), '');
    expect(() => createWebhookKey(files[0], join(home, 'file/keys.json'))).toThrow('EEXIST');
    expect(existsSync(files[0])).toBe(false);
  });
});
