/** Imports whose parts do not make one key, at three parties with real threads. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  partCommitment,
  publicPackageHash,
  type ImportPackage,
  type PrivatePart,
} from '@countersign/custody/import-package.js';
import { startReplica } from '@countersign/runtime/jobs/replica.js';
import type { Key } from '@countersign/vault/state/state.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { rsaTestKey } from '../../../test/support/rsa-test-keys.js';
import { sealPackage, splitHmac, splitRsa } from '../../../test/support/split-secrets.js';
import { openThreadParties, type ThreadParties } from '../../../test/support/thread-parties.js';
import type { NewRecipient } from '../threads/thread-tasks.js';
import { createCeremonyInbox } from './ceremony-inbox.js';
import type { CeremonyRun } from './ceremony-run.js';
import { createPerformer, type Performer, type PerformerDeps } from './perform-ceremony.js';

const PARTIES = [1, 2, 3] as const;
const REPLICAS = PARTIES.map((party) => startReplica(party, 'a'));
const GENESIS = 'ab'.repeat(32);
const USER = 'importer';

let parties: ThreadParties;
let recipients: NewRecipient[];
let session = 0;
/** All that parties told each other. */
const sent: { readonly tag: string; readonly payload: Uint8Array }[] = [];

beforeAll(async () => {
  parties = await openThreadParties();
  recipients = await Promise.all(parties.pools.map((pool) => pool.makeRecipient('recipient')));
}, 30_000);
afterAll(() => parties.close());

function openPerformers(): Performer[] {
  return parties.pools.map((threads, index) =>
    createPerformer({
      genesisHash: GENESIS,
      threads,
      lender: { lend: async () => [] }, // neither RSA nor HMAC needs a commitment
      recipients: { find: async () => recipients[index] },
      progress: () => undefined,
      isAnothersKey: () => false,
    } as unknown as PerformerDeps),
  );
}

async function importingKey(
  packages: readonly ImportPackage[],
  fields: Pick<Key, 'type' | 'scheme' | 'publicKey'>,
): Promise<Key> {
  const sealedParts = await Promise.all(
    PARTIES.map(async (party) => {
      const { publicKey } = recipients[party - 1]!;
      const context = { genesisHash: GENESIS, party, userId: USER, type: fields.type };
      const sealed = await sealPackage(packages[party - 1]!, publicKey, context);
      return { party, recipientId: 'recipient', sealed: Buffer.from(sealed).toString('base64') };
    }),
  );
  const row: Partial<Key> = { id: 'key', status: 'importing', createdBy: USER, sealedParts };
  return { ...row, ...fields } as Key;
}

/** How one run ends at each party: `attests`, or the name and text of its error. */
async function endsOf(performers: readonly Performer[], key: Key): Promise<string[]> {
  session += 1;
  const inboxes = PARTIES.map((party) => createCeremonyInbox(party));
  const runOf = (party: PartyNumber): CeremonyRun => ({
    self: REPLICAS[party - 1]!,
    session: `session ${session}`,
    keyId: key.id,
    replicas: REPLICAS,
    stockId: '',
    inbox: inboxes[party - 1]!,
    signal: new AbortController().signal,
    send: async (to, tag, payload) => {
      sent.push({ tag, payload });
      inboxes[to - 1]!.put(tag, party, payload);
    },
  });
  return Promise.all(
    performers.map((performer, index) =>
      performer.perform(runOf(PARTIES[index]!), key).then(
        () => 'attests',
        (error: unknown) => String(error),
      ),
    ),
  );
}

const rsa = rsaTestKey('2048');
const rsaFields = {
  type: 'rsa',
  scheme: 'rsa_pkcs1_sha256',
  publicKey: rsa.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
} as const;
const hmacFields = { type: 'hmac', scheme: 'hmac_sha256', publicKey: '' } as const;

/** λ(N) = lcm(p − 1, q − 1): every base to the power of it is 1. */
function carmichael(): bigint {
  const jwk = rsa.privateKey.export({ format: 'jwk' });
  const [p, q] = [jwk.p, jwk.q].map((text) => integer(Buffer.from(text!, 'base64url')) - 1n);
  const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b));
  return (p! * q!) / divisor(p!, q!);
}

function integer(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(2 * Math.ceil(hex.length / 2), '0'), 'hex');
}

/** Packages that are in order by themselves, of parts that the importer chose. */
function splitInto(values: readonly bigint[]): ImportPackage[] {
  const parts = values.map(bytesOf);
  const [first, second, third] = parts.map((part, at) => partCommitment(PARTIES[at]!, part));
  const { common } = splitRsa(rsa.privateKey)[0]!;
  if (common.type !== 'rsa') throw new Error('not an RSA key');
  return PARTIES.map((party) => {
    const part: PrivatePart = { type: 'rsa', parts: [parts[party - 1]!, parts[party % 3]!] };
    const partCommitments = [first!, second!, third!] as const;
    return { party, common: { ...common, partCommitments }, part };
  });
}

/** What makes a part as long as parties ask for. */
const LONG = 1n << 133n;
const longPart = () => integer(randomBytes(250)) + (1n << 2179n);

const privateExponent = () =>
  integer(Buffer.from(rsa.privateKey.export({ format: 'jwk' }).d!, 'base64url'));

describe('an import', () => {
  it('whose parts make one key is attested by all three', async () => {
    const performers = openPerformers();
    const key = await importingKey(splitRsa(rsa.privateKey), rsaFields);
    expect(await endsOf(performers, key)).toEqual(['attests', 'attests', 'attests']);
  });

  it('whose power is 1 at one party is attested by none, and given up at the second run', async () => {
    const second = longPart();
    const first = privateExponent() + LONG * carmichael();
    const key = await importingKey(
      splitInto([first, second, 4n * LONG * carmichael() - second]),
      rsaFields,
    );
    const performers = openPerformers();
    const text = 'its part and that of party 3 do not sign together';
    const told = 'Error: a trial of party 2 failed';
    expect(await endsOf(performers, key)).toEqual([told, `Error: ${text}`, told]);
    expect(await endsOf(performers, key)).toEqual([told, `KeyRefusedError: ${text}`, told]);
  });

  it('of which one part alone has the power 1 is given up at the second run too', async () => {
    const first = longPart();
    const second = privateExponent() + 4n * LONG * carmichael() - first;
    const key = await importingKey(splitInto([first, second, LONG * carmichael()]), rsaFields);
    const performers = openPerformers();
    const runs = [await endsOf(performers, key), await endsOf(performers, key)];
    expect(runs.flat()).not.toContain('attests');
    expect(runs[1]!.some((end) => end.startsWith('KeyRefusedError'))).toBe(true);
  });

  it('of an HMAC secret tells nobody a part: parties compare what they were told, and no more', async () => {
    sent.length = 0;
    const split = splitHmac(randomBytes(40));
    const key = await importingKey(split, hmacFields);
    expect(await endsOf(openPerformers(), key)).toEqual(['attests', 'attests', 'attests']);
    const word = publicPackageHash(split[0]!.common);
    expect(sent.map(({ tag, payload }) => [tag, Buffer.from(payload)])).toEqual(
      Array(6).fill(['trial-end', word]),
    );
  });

  it('of which the parties are told different things is attested by none, and given up', async () => {
    const split = splitHmac(randomBytes(40));
    const { common } = split[0]!;
    if (common.type !== 'hmac') throw new Error('not an HMAC secret');
    const [first, second] = common.partCommitments;
    // the commitment to the one part that party 1 lacks
    const partCommitments = [first, second, randomBytes(32)] as const;
    const changed = { ...split[0]!, common: { ...common, partCommitments } };
    const key = await importingKey([changed, split[1]!, split[2]!], hmacFields);
    const ends = await endsOf(openPerformers(), key);
    expect(ends).toEqual([
      'KeyRefusedError: its part and that of party 2 are not of one package',
      'KeyRefusedError: its part and that of party 1 are not of one package',
      'KeyRefusedError: its part and that of party 1 are not of one package',
    ]);
  });
});
