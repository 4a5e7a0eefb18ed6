/**
 * What a partner that sends wrong partials leaves in the lead's memory: a process of its own combines, and is
 * looked into from outside.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { toBytes, toBigInt } from '@countersign/core/big-integers.js';
import { memoryOf, sweepMemory } from '../../../../test/support/process-memory.js';
import { runWhere } from '../../../../test/support/run-where.js';
import { splitRsa } from '../../../../test/support/split-secrets.js';
import { encodeRsaKeyShare } from './rsa-key-share.js';

const BUILT = new URL('../../../dist/secrets/rsa/', import.meta.url);

/** Reads a share of party 1 (hex), combines it with wrong partials of party 2, tells the codes and waits. */
const LEAD = `
  import { leadCombine } from '${new URL('threshold-rsa.js', BUILT).href}';
  import { SigningModexp } from '${new URL('modexp.js', BUILT).href}';
  import { decodeRsaKeyShare } from '${new URL('rsa-key-share.js', BUILT).href}';
  import { rsaPublicKey } from '${new URL('../../threads/rsa-public-values.js', BUILT).href}';
  process.stdin.once('data', (text) => {
    const share = decodeRsaKeyShare(Buffer.from(String(text).trim(), 'hex'));
    const modexp = new SigningModexp(1);
    const message = { scheme: 'rsa_pkcs1_sha256', message: Buffer.from('x'), salt: Buffer.alloc(0) };
    const codes = [1, 2, 3].map((byte) => {
      const partial = Buffer.alloc(share.modulus.length, byte);
      try {
        leadCombine({ share, partner: 2, partial, message, publicKey: rsaPublicKey(share), modexp });
      } catch (error) {
        return error.code;
      }
    });
    console.log(codes.join());
  });`;

const onLinux = runWhere(it, process.platform === 'linux', 'needs Linux');

onLinux(
  'a wrong partial leaves no copy of the exponent in memory',
  async () => {
    const file = new URL('threshold-rsa.js', BUILT);
    if (!existsSync(fileURLToPath(file))) throw new Error('run `npm run build` first');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { party, common, part } = splitRsa(privateKey)[0]!;
    if (common.type !== 'rsa' || part.type !== 'rsa') throw new Error('not an RSA key');
    const [own, next] = part.parts;
    const share = encodeRsaKeyShare({ ...common, party, own, next });
    const exponent = toBytes(toBigInt(own) + toBigInt(next));
    const child = spawn(process.execPath, ['--input-type=module', '-e', LEAD]);
    try {
      child.stdin.write(`${share.toString('hex')}\n`);
      const [codes] = (await once(child.stdout, 'data')) as [Buffer];
      expect(String(codes).trim()).toBe('partner-share,partner-share,partner-share');
      // a piece of it, in the order of a text and in that of a processor's words
      const piece = exponent.subarray(64, 128);
      const sought = new Map([
        ['modulus', Buffer.from(common.modulus)],
        ['exponent', piece],
        ['exponent, reversed', Buffer.from(piece).reverse()],
        ['nothing', randomBytes(64)],
      ]);
      expect(sweepMemory(sought, memoryOf(child.pid!))).toEqual(['modulus']);
    } finally {
      child.kill('SIGKILL');
    }
  },
  60_000,
);
