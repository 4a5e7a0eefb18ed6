import { sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sha256 } from '@countersign/core/hash.js';
import { findSignatureFault, type FinishedSignature } from './signature-fault.js';
import { rsaTestKey } from '../../../../test/support/rsa-test-keys.ts';

const message = Buffer.from('what was signed');
const messageSha256 = sha256(message).toString('hex');

function keyRow(id: string, publicKey: KeyObject): FinishedSignature['key'] {
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  return { id, type: 'rsa', publicKey: spki.toString('base64') };
}

function faultOf(key: FinishedSignature['key'], signature: Buffer): string | undefined {
  const receipt = { keyId: key.id, messageSha256 };
  return findSignatureFault({ key, scheme: 'rsa_pkcs1_sha256', message, signature, receipt });
}

describe('RSA keys that are read once', () => {
  const pairs = [rsaTestKey('2048'), rsaTestKey('2048-another')];
  const rows = pairs.map(({ publicKey }, index) => keyRow(`key ${index}`, publicKey));
  const signatures = pairs.map(({ privateKey }) => sign('sha256', message, privateKey));

  it('verify their own signatures alone, however often they are asked for', () => {
    const faults = () => rows.map((row) => signatures.map((signature) => faultOf(row, signature)));
    const own = [
      [undefined, 'has a wrong signature'],
      ['has a wrong signature', undefined],
    ];
    expect(faults()).toEqual(own);
    expect(faults()).toEqual(own);
  });

  it('are another key where the row is another, whatever its id', () => {
    const changed = { ...rows[0]!, publicKey: rows[1]!.publicKey };
    expect(faultOf(rows[0]!, signatures[0]!)).toBeUndefined();
    expect(faultOf(changed, signatures[0]!)).toBe('has a wrong signature');
    expect(faultOf(changed, signatures[1]!)).toBeUndefined();
  });

  it('are no key at all where the row has none', () => {
    const none = { ...rows[0]!, publicKey: 'not base64!' };
    expect(faultOf(none, signatures[0]!)).toBe('has a wrong signature');
  });
});
