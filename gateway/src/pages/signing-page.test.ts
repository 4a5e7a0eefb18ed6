import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { SIGNING_EXAMPLE } from '@countersign/api/signing-example.js';
import { transcriptDigest } from '@countersign/core/transcript.js';
import { createReferencePage } from './reference-page.js';
import {
  createSigningPage,
  signingProgram,
  transcriptHex,
  transcriptParts,
} from './signing-page.js';

interface Vector {
  readonly name: string;
  readonly transcript_hex: string | null;
  readonly sha256_hex: string;
}

const { cases } = JSON.parse(readFileSync('test/vectors/transcript.json', 'utf8')) as {
  cases: (Vector & Record<string, unknown>)[];
};
const recorded = cases.find(({ name }) => name === 'query and body')!;

const html = createSigningPage()['/docs/signing-requests']!.body;

describe('the example of a signed request', () => {
  test('is the recorded vector', () => {
    const { privateKeyHex: _, publicKeyHex: __, assertion: ___, ...example } = SIGNING_EXAMPLE;
    expect(example).toEqual({
      method: recorded['method'],
      path: recorded['path'],
      query: recorded['query'],
      body: Buffer.from(String(recorded['body_hex']), 'hex').toString(),
      credential: recorded['credential'],
      timestampMs: Number(recorded['timestamp_ms']),
      timestampHeader: recorded['timestamp_header'],
      nonceHeader: recorded['nonce_header'],
      digestHex: recorded.sha256_hex,
    });
    expect(transcriptHex(SIGNING_EXAMPLE)).toBe(recorded.transcript_hex);
  });

  test('is what the vault computes', () => {
    const digest = transcriptDigest({
      ...SIGNING_EXAMPLE,
      body: Buffer.from(SIGNING_EXAMPLE.body),
      nonce: Buffer.from(SIGNING_EXAMPLE.nonceHeader, 'hex'),
    });
    expect(digest.toString('hex')).toBe(SIGNING_EXAMPLE.digestHex);
    const transcript = Buffer.from(transcriptHex(SIGNING_EXAMPLE), 'hex');
    expect(createHash('sha256').update(transcript).digest()).toEqual(digest);
  });

  test('has the signature that its key makes', () => {
    const { privateKeyHex, publicKeyHex, digestHex, assertion } = SIGNING_EXAMPLE;
    const seed = Buffer.from(privateKeyHex, 'hex').toString('base64url');
    const x = Buffer.from(publicKeyHex, 'hex').toString('base64url');
    const jwk = { kty: 'OKP', crv: 'Ed25519', d: seed, x };
    const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
    expect(createPublicKey(privateKey).export({ format: 'jwk' })['x']).toBe(x);
    const signature = sign(null, Buffer.from(digestHex, 'hex'), privateKey);
    expect(signature.toString('base64url')).toBe(assertion);
  });
});

describe('the page', () => {
  test('shows every part, the digest, the key and the assertion', () => {
    const shown = [
      ...transcriptParts(SIGNING_EXAMPLE).map(({ bytes }) => bytes.toString('hex')),
      recorded.transcript_hex!,
      SIGNING_EXAMPLE.digestHex,
      SIGNING_EXAMPLE.privateKeyHex,
      SIGNING_EXAMPLE.publicKeyHex,
      SIGNING_EXAMPLE.assertion,
    ];
    for (const text of shown) expect(html).toContain(text);
  });

  test('has a program that prints the headers of the example', () => {
    const program = signingProgram(SIGNING_EXAMPLE);
    const shown = html.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<');
    expect(shown.replaceAll('&amp;', '&')).toContain(program);
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    expect(JSON.parse(printed)).toEqual({
      authorization: `ApiKey ${SIGNING_EXAMPLE.credential}`,
      'x-request-nonce': SIGNING_EXAMPLE.nonceHeader,
      'x-request-timestamp': SIGNING_EXAMPLE.timestampHeader,
      'x-request-assertion': SIGNING_EXAMPLE.assertion,
    });
  });

  test('has no script, no style of its own, and loads nothing but what is served beside it', () => {
    expect(html).not.toMatch(/<script|<style|\son\w+=|\sstyle=/);
    const served = createReferencePage();
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(loaded.length).toBeGreaterThan(2);
    for (const path of loaded) expect(served).toHaveProperty([path]);
  });
});
