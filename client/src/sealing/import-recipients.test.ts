import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  createTestVault,
  signedRow,
  type RecipientsAnswer,
  type TestVault,
} from '../../fixtures/vault-parties.js';
import { verifyImportRecipients } from './import-recipients.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const LATER = NOW + 60_000;

let vault: TestVault;
let answer: RecipientsAnswer;

beforeAll(async () => {
  vault = await createTestVault();
  answer = await vault.answer(LATER);
});

function changed(change: (copy: RecipientsAnswer) => void): RecipientsAnswer {
  const copy = structuredClone(answer);
  change(copy);
  return copy;
}

function verifying(given: unknown, now = NOW) {
  return () => verifyImportRecipients(given, vault, now);
}

const untrusted = (text: string) =>
  expect.objectContaining({ errType: 'untrusted', errMsg: expect.stringContaining(text) });
const BAD_FORM = expect.objectContaining({ errType: 'bad_answer' });

test('recipients that the pinned parties signed are taken, in the order of the parties', () => {
  const shuffled = changed((copy) => copy.recipients.reverse());
  const recipients = verifying(shuffled)();
  expect(recipients.map(({ party }) => party)).toEqual([1, 2, 3]);
  expect(recipients.map(({ recipientId }) => recipientId)).toEqual(
    answer.recipients.map((row) => row.recipient_id),
  );
  expect(recipients[0]).toMatchObject({
    publicKey: Buffer.from(answer.recipients[0]!.public_key, 'base64'),
    expiresAt: LATER,
  });
});

describe('refused: a recipient', () => {
  const notSigned = (party: number) =>
    untrusted(`the recipient of party ${party} is not signed by that party`);

  test('whose key the gateway put there', () => {
    const own = generateKeyPairSync('x25519').publicKey.export({ format: 'der', type: 'spki' });
    const swapped = changed((copy) => {
      copy.recipients[1]!.public_key = own.subarray(-32).toString('base64');
    });
    expect(verifying(swapped)).toThrow(notSigned(2));
  });

  test('signed by somebody else', () => {
    const { privateKey: identity } = generateKeyPairSync('ed25519');
    const forged = changed((copy) => {
      const row = signedRow({ party: 3, identity }, randomBytes(32), LATER, vault.genesisHash);
      copy.recipients[2] = row;
    });
    expect(verifying(forged)).toThrow(notSigned(3));
  });

  test('of one party under the name of another', () => {
    const swapped = changed((copy) => {
      copy.recipients[0]!.party = 2;
      copy.recipients[1]!.party = 1;
    });
    expect(verifying(swapped)).toThrow(notSigned(1));
  });

  test('signed by another party than its own', () => {
    const [first] = vault.parties;
    const forged = changed((copy) => {
      const impostor = { party: 2, identity: first!.identity } as const;
      copy.recipients[1] = signedRow(impostor, randomBytes(32), LATER, vault.genesisHash);
    });
    expect(verifying(forged)).toThrow(notSigned(2));
  });

  test('signed for another vault', () => {
    const foreign = changed((copy) => {
      const genesisHash = randomBytes(32).toString('hex');
      copy.recipients[0] = signedRow(vault.parties[0]!, randomBytes(32), LATER, genesisHash);
    });
    expect(verifying(foreign)).toThrow(notSigned(1));
  });

  test.each(['recipient_id', 'expires_at'] as const)('whose %s was changed', (field) => {
    const altered = changed((copy) => {
      const other = {
        recipient_id: answer.recipients[1]!.recipient_id,
        expires_at: iso(LATER + 1),
      };
      copy.recipients[0]![field] = other[field];
      if (field === 'recipient_id') copy.recipients[1]![field] = answer.recipients[0]![field];
    });
    expect(verifying(altered)).toThrow(notSigned(1));
  });

  test('that has expired', () => {
    const expired = untrusted('the recipient of party 1 has expired');
    expect(verifying(answer, LATER - 1)).not.toThrow();
    expect(verifying(answer, LATER)).toThrow(expired);
    expect(verifying(answer, LATER + 1)).toThrow(expired);
  });
});

describe('refused: an answer', () => {
  test('of another vault', () => {
    const foreign = changed((copy) => {
      copy.genesis_hash = randomBytes(32).toString('hex');
    });
    expect(verifying(foreign)).toThrow(untrusted('another vault'));
  });

  test('without one of the parties', () => {
    const short = changed((copy) => copy.recipients.splice(1, 1));
    expect(verifying(short)).toThrow(untrusted('party 2 has no recipient'));
    expect(verifying({ genesis_hash: vault.genesisHash })).toThrow(untrusted('party 1'));
  });

  test('with a party twice', () => {
    const twice = changed((copy) => {
      const [first] = vault.parties;
      copy.recipients.push(signedRow(first!, randomBytes(32), LATER, vault.genesisHash));
    });
    expect(verifying(twice)).toThrow(untrusted('twice'));
  });

  test('with one key for two parties, signed by both', () => {
    const shared = changed((copy) => {
      const publicKey = Buffer.from(copy.recipients[0]!.public_key, 'base64');
      copy.recipients[1] = signedRow(vault.parties[1]!, publicKey, LATER, vault.genesisHash);
    });
    expect(verifying(shared)).toThrow(untrusted('twice'));
  });

  test.each<[string, unknown]>([
    ['party', 4],
    ['party', '1'],
    ['recipient_id', 'first'],
    ['public_key', 'AAAA'],
    ['public_key', undefined],
    ['expires_at', '2026-01-15'],
    ['expires_at', 'Thu, 15 Jan 2026 13:00:00 GMT'],
    ['expires_at', NOW],
    ['signature', ''],
    ['signature', null],
  ])('whose %s is %j', (field, value) => {
    const malformed = changed((copy) => Object.assign(copy.recipients[0]!, { [field]: value }));
    expect(verifying(malformed)).toThrow(BAD_FORM);
  });

  test.each([undefined, null, 'text', [], {}])('%j', (value) => {
    expect(verifying(value)).toThrow(untrusted('another vault'));
  });
});

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
