import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ed25519ph } from '@noble/curves/ed25519.js';
import { signedReceipt } from '../../../../client/fixtures/signed-receipt.js';
import { createTestVault, type TestVault } from '../../../../client/fixtures/vault-parties.js';
import type { ReceiptReport } from '@countersign/client/receipt-report.js';
import { typed, type Typed } from '../../fixtures/typed.js';
import { rsaTestKey } from '../../../../test/support/rsa-test-keys.ts';

const MESSAGE = Buffer.from('what was signed\n');
const ed = generateKeyPairSync('ed25519');
const rsa = rsaTestKey('2048');
const ED_SIGNATURE = sign(null, MESSAGE, ed.privateKey);
const RSA_SIGNATURE = sign('sha384', MESSAGE, rsa.privateKey);
const EVERYTHING = ['--message', 'message', '--signature', 'signature', '--public-key', 'ed.pem'];

let folder: string;
let vault: TestVault;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'receipt-verify-'));
  vault = await createTestVault();
  write('genesis.json', JSON.stringify(genesisOf(vault)));
  write('other-genesis.json', JSON.stringify(genesisOf(await createTestVault())));
  write('message', MESSAGE);
  write('signature', ED_SIGNATURE);
  write('ed.pem', pemOf(ed.publicKey));
  write('rsa.pem', pemOf(rsa.publicKey));
  write('receipt.json', receiptFor(ED_SIGNATURE));
  write('rsa-receipt.json', receiptFor(RSA_SIGNATURE));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Buffer): void {
  writeFileSync(join(folder, name), content);
}

function genesisOf({ genesisHash, identities }: TestVault) {
  const parties = identities.map(({ party, identityPublicKey }) => ({
    party,
    identity_public_key: identityPublicKey,
  }));
  return { genesis_hash: genesisHash, parties };
}

function pemOf(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'spki' }).toString();
}

function receiptFor(signature: Buffer): string {
  return JSON.stringify(signedReceipt(vault, MESSAGE, signature));
}

/** Names of files are of those in the folder; `input`: standard input. */
function run(
  args: readonly string[],
  { input = '', genesisFile = 'genesis.json' } = {},
): Promise<Typed> {
  const paths = args.map((arg) =>
    /^[a-z-]+(\.\w+)?$/.test(arg) && !/^-/.test(arg) ? join(folder, arg) : arg,
  );
  const environment = {
    XDG_CONFIG_HOME: folder,
    ...(genesisFile !== '' && { GENESIS_FILE: join(folder, genesisFile) }),
  };
  return typed(['receipt', 'verify', ...paths], { input, environment });
}

async function report(args: readonly string[]): Promise<ReceiptReport & { readonly code: number }> {
  const { code, output } = await run([...args, '--json']);
  return { ...(JSON.parse(output) as ReceiptReport), code };
}

describe('a receipt alone', () => {
  test('holds, and what was not proven is said', async () => {
    const { code, output, notes } = await run(['receipt.json']);
    expect([code, notes]).toEqual([0, '']);
    expect(output).toMatch(/^The receipt holds\.\nProven:\n- parties 1 and 3 of the pinned vault/);
    for (const words of [
      'Not proven:',
      'no message was given',
      'which signature was made: none was given',
      'nobody can check it who does not hold the secret',
      'answer_sha256',
      'countersign audit verify',
    ]) {
      expect(output).toContain(words);
    }
  });

  test('that was valued says at which prices, and holds with no others', async () => {
    const at = Date.UTC(2026, 10, 22);
    const prices = [{ asset: 'BTC', price: '100000.5', at, relay: 'prices-a' }];
    const valued = signedReceipt(vault, MESSAGE, ED_SIGNATURE, prices);
    const { code, output } = await run(['-'], { input: JSON.stringify(valued) });
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining(
        '- it was valued at 100000.5 USD for one BTC, by the prices that relay prices-a took at 2026-11-22T00:00:00.000Z\n',
      ) as unknown,
    });
    const changed = { ...valued, prices: [{ ...valued.prices![0]!, price: '1' }] };
    for (const input of [changed, { ...valued, prices: undefined }, { ...valued, prices: [] }]) {
      expect((await run(['-'], { input: JSON.stringify(input) })).code).toBe(1);
    }
  });

  test('is read from standard input, and the genesis from where it is told', async () => {
    const input = receiptFor(ED_SIGNATURE);
    expect((await run(['-'], { input })).code).toBe(0);
    expect((await run(['-', '--genesis', 'genesis.json'], { input, genesisFile: '' })).code).toBe(
      0,
    );
    expect((await run(['-', '--genesis', 'other-genesis.json'], { input })).code).toBe(1);
    expect((await run(['-'], { input, genesisFile: 'other-genesis.json' })).code).toBe(1);
  });

  test.each(['', 'no JSON', '{}', '[]', 'null', '"receipt"'])('is not %j', async (input) => {
    expect(await run(['-'], { input })).toMatchObject({
      code: 1,
      output: 'It does not hold:\n- the receipt is no receipt\n',
    });
  });

  test('that was changed does not hold, whatever is given beside it', async () => {
    const changed = { ...JSON.parse(receiptFor(ED_SIGNATURE)), ledger_seq: 8 };
    write('changed.json', JSON.stringify(changed));
    expect(await report(['changed.json', ...EVERYTHING])).toMatchObject({
      code: 1,
      checks: { receipt: 'does_not_hold', message: 'not_checked', public_key: 'not_checked' },
      faults: ['the receipt was not signed by party 3'],
      proven: [],
    });
  });
});

describe('with what it speaks of', () => {
  test('message, signature and public key are all proven', async () => {
    expect(await report(['receipt.json', ...EVERYTHING])).toMatchObject({
      code: 0,
      checks: { receipt: 'holds', message: 'holds', signature: 'holds', public_key: 'holds' },
      scheme: 'ed25519',
      faults: [],
    });
    expect((await run(['receipt.json', ...EVERYTHING])).output).toContain(
      'that the public key is that of key',
    );
  });

  test('a signature of each scheme is found by itself, or insisted on', async () => {
    const rsaArgs = ['--message', 'message', '--public-key', 'rsa.pem', '--signature'];
    const rsaReport = await report(['rsa-receipt.json', ...rsaArgs, RSA_SIGNATURE.toString('hex')]);
    expect(rsaReport).toMatchObject({ code: 0, scheme: 'rsa_pkcs1_sha384' });
    const insisted = [...rsaArgs, RSA_SIGNATURE.toString('hex'), '--scheme'];
    expect((await report(['rsa-receipt.json', ...insisted, 'rsa_pkcs1_sha384'])).code).toBe(0);
    expect(await report(['rsa-receipt.json', ...insisted, 'rsa_pss_sha384'])).toMatchObject({
      code: 1,
      checks: { signature: 'holds', public_key: 'does_not_hold' },
    });
    const secret = Buffer.from(ed.privateKey.export({ format: 'jwk' }).d!, 'base64url');
    write('ph-signature', ed25519ph.sign(MESSAGE, secret) as Buffer);
    write('ph-receipt.json', receiptFor(Buffer.from(ed25519ph.sign(MESSAGE, secret))));
    const ph = ['--message', 'message', '--signature', 'ph-signature', '--public-key', 'ed.pem'];
    expect(await report(['ph-receipt.json', ...ph])).toMatchObject({
      code: 0,
      scheme: 'ed25519ph',
    });
  });

  test.each(['base64', 'base64url', 'hex', 'latin1'] as const)(
    'a signature is taken as %s, from a file or an argument',
    async (encoding) => {
      const written = ED_SIGNATURE.toString(encoding);
      write('written', encoding === 'latin1' ? ED_SIGNATURE : `${written}\n`);
      const rest = ['--message', 'message', '--public-key', 'ed.pem'];
      expect((await report(['receipt.json', '--signature', 'written', ...rest])).code).toBe(0);
      if (encoding === 'latin1') return;
      expect((await report(['receipt.json', `--signature=${written}`, ...rest])).code).toBe(0);
    },
  );

  test('a public key is taken as PEM, raw in base64, or SubjectPublicKeyInfo in base64', async () => {
    const raw = Buffer.from(ed.publicKey.export({ format: 'jwk' }).x!, 'base64url');
    const spki = ed.publicKey.export({ format: 'der', type: 'spki' });
    for (const key of [raw.toString('base64'), spki.toString('base64'), pemOf(ed.publicKey)]) {
      const args = ['--message', 'message', '--signature', 'signature', `--public-key=${key}`];
      expect(await report(['receipt.json', ...args])).toMatchObject({ code: 0, scheme: 'ed25519' });
    }
  });

  test('another message, signature or key is found', async () => {
    write('other-message', 'what was signed');
    const other = await report(['receipt.json', ...EVERYTHING.with(1, 'other-message')]);
    expect(other).toMatchObject({
      code: 1,
      checks: { message: 'does_not_hold', signature: 'holds', public_key: 'does_not_hold' },
    });
    const otherSignature = sign(null, MESSAGE, ed.privateKey).fill(7, 0, 1).toString('hex');
    expect(await report(['receipt.json', ...EVERYTHING.with(3, otherSignature)])).toMatchObject({
      code: 1,
      checks: { message: 'holds', signature: 'does_not_hold', public_key: 'does_not_hold' },
    });
    expect(await report(['receipt.json', ...EVERYTHING.with(5, 'rsa.pem')])).toMatchObject({
      code: 1,
      checks: { message: 'holds', signature: 'holds', public_key: 'does_not_hold' },
    });
    const words = (await run(['receipt.json', ...EVERYTHING.with(5, 'rsa.pem')])).output;
    expect(words).toContain(
      'It does not hold:\n- the signature does not verify under the public key',
    );
  });

  test('an HMAC is compared by its hash alone, and that is said', async () => {
    const mac = createHmac('sha256', 'a secret').update(MESSAGE).digest();
    write('hmac-receipt.json', receiptFor(mac));
    const args = ['--message', 'message', '--signature', mac.toString('hex')];
    const checked = await report(['hmac-receipt.json', ...args, '--scheme', 'hmac_sha256']);
    expect(checked).toMatchObject({
      code: 0,
      checks: { message: 'holds', signature: 'holds', public_key: 'not_checked' },
    });
    expect(checked.not_proven.join()).toContain('hashes alone were compared');
    const wrong = ['--message', 'message', '--signature', '00'.repeat(32)];
    expect((await report(['hmac-receipt.json', ...wrong])).code).toBe(1);
  });
});

describe('what cannot be checked', () => {
  const cases: [string, string[], RegExp][] = [
    ['no receipt', [], /missing required argument 'RECEIPT'/],
    ['two receipts', ['receipt.json', 'rsa-receipt.json'], /too many arguments/],
    ['a receipt that is not there', ['nowhere.json'], /cannot read .*nowhere.json: ENOENT/],
    ['a message that is not there', ['receipt.json', '--message', 'nowhere'], /cannot read/],
    [
      'an unknown argument',
      ['receipt.json', '--mesage', 'message'],
      /unknown option '--mesage'\n.*--message/,
    ],
    [
      'a genesis that is none',
      ['receipt.json', '--genesis', 'receipt.json'],
      /countersign genesis/,
    ],
    ['a key alone', ['receipt.json', '--public-key', 'ed.pem'], /goes with/],
    ['a key that is none', ['receipt.json', ...EVERYTHING.with(5, 'message')], /neither/],
    ['an unknown scheme', ['receipt.json', '--scheme', 'ecdsa'], /--scheme .*Allowed choices are/],
    ['an HMAC with a key', ['receipt.json', ...EVERYTHING, '--scheme', 'hmac_sha256'], /HMAC/],
  ];
  test.each(cases)('%s: 2, and nothing is said to hold', async (_what, args, words) => {
    expect(await run(args)).toMatchObject({
      code: 2,
      output: '',
      notes: expect.stringMatching(words),
    });
  });

  test('no genesis: 2', async () => {
    expect(await run(['receipt.json'], { genesisFile: '' })).toMatchObject({ code: 2, output: '' });
  });
});
