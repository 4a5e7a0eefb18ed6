import { describe, expect, test } from '@jest/globals';
import { readKeyFile } from './read-key-file.js';

describe('an HMAC secret is', () => {
  test.each([
    ['utf8', 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j', 'utf8'],
    ['utf8', 'deadbeef', 'utf8'],
    ['utf8', 'with inner space and é', 'utf8'],
    ['hex', 'deadbeef00', 'hex'],
    ['hex', 'DEADbeef00', 'hex'],
    ['base64', 'kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5', 'base64'],
    ['base64', '3q2+7w==', 'base64'],
  ] as const)('%s: %s', (encoding, text, asBuffer) => {
    for (const end of ['', '\n', '\r\n']) {
      expect(readKeyFile(Buffer.from(text + end), { type: 'hmac', encoding })).toEqual({
        type: 'hmac',
        secret: Buffer.from(text, asBuffer),
        passphrase: '',
        encoding,
      });
    }
  });

  test('kept with the passphrase that the venue gave', () => {
    const options = { type: 'hmac', encoding: 'utf8', venuePassphrase: 'pâss phrase' } as const;
    expect(readKeyFile(Buffer.from('secret'), options)).toMatchObject({
      passphrase: 'pâss phrase',
    });
  });

  test('a copy: the file may be wiped', () => {
    const file = Buffer.from('secret');
    const secret = readKeyFile(file, { type: 'hmac', encoding: 'utf8' });
    file.fill(0);
    expect(secret).toMatchObject({ secret: Buffer.from('secret') });
  });
});

describe('refused:', () => {
  test.each([
    ['an encoding that nobody stated', undefined, 'deadbeef', 'encoding_missing'],
    ['an encoding of other keys', 'pkcs8', 'deadbeef', 'encoding_unknown'],
    ['base64url', 'base64url', '3q2-7w', 'encoding_unknown'],
    ['an empty file', 'utf8', '', 'empty'],
    ['an empty line', 'utf8', '\n', 'hmac_empty'],
    ['an empty line as hex', 'hex', '\n', 'hmac_empty'],
    ['two lines', 'utf8', 'key\nsecret', 'hmac_utf8'],
    ['two line ends', 'utf8', 'secret\n\n', 'hmac_utf8'],
    ['space before', 'utf8', ' secret', 'hmac_utf8'],
    ['space behind', 'utf8', 'secret ', 'hmac_utf8'],
    ['a byte order mark', 'utf8', '\uFEFFsecret', 'hmac_utf8'],
    ['a tab', 'utf8', 'sec\tret', 'hmac_utf8'],
    ['an odd digit', 'hex', 'deadbee', 'hmac_hex'],
    ['a letter that is no digit', 'hex', 'deadbeeg', 'hmac_hex'],
    ['0x', 'hex', '0xdeadbeef', 'hmac_hex'],
    ['hex with spaces', 'hex', 'de ad', 'hmac_hex'],
    ['base64 without padding', 'base64', '3q2+7w', 'hmac_base64'],
    ['base64 of the URL alphabet', 'base64', '3q2-7w==', 'hmac_base64'],
    ['base64 with stray bits', 'base64', '3q2+7x==', 'hmac_base64'],
    ['base64 on two lines', 'base64', '3q2+\n7w==', 'hmac_base64'],
    ['a secret of 2049 bytes', 'utf8', 'x'.repeat(2049), 'hmac_too_long'],
  ])('%s', (_what, encoding, text, fault) => {
    const read = () => readKeyFile(Buffer.from(text), { type: 'hmac', encoding });
    expect(read).toThrow(expect.objectContaining({ name: 'KeyFileError', fault }));
  });

  test('bytes that are no UTF-8', () => {
    const read = () => readKeyFile(Buffer.from([0xff, 0xfe]), { type: 'hmac', encoding: 'utf8' });
    expect(read).toThrow(expect.objectContaining({ fault: 'hmac_utf8' }));
  });

  test.each(['', ' x', 'x\n', 'a\nb', 'x'.repeat(513)])('the venue passphrase %j', (text) => {
    const options = { type: 'hmac', encoding: 'utf8', venuePassphrase: text } as const;
    const read = () => readKeyFile(Buffer.from('secret'), options);
    expect(read).toThrow(expect.objectContaining({ fault: 'venue_passphrase' }));
  });
});
