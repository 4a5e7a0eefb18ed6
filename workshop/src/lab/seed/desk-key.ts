/** A key at a venue of the lab: made where it is made in earnest, and put into the vault. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { valueOf } from '@countersign/client/call-result.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import { importSecret } from '@countersign/client/import-secret.js';
import type { ImportedSecret } from '@countersign/client/imported-secret.js';
import type { PinnedVault } from '@countersign/client/pinned-vault.js';
import type { LabVenue } from '../catalogue/lab-venues.js';

/** An administrator of the vault, who imports. */
export interface LabAdministrator {
  readonly client: CountersignClient;
  readonly userId: string;
  readonly vault: PinnedVault;
}

/** What the simulator knows of the key, as JSON. A secret here opens nothing but a simulator. */
export interface StoredAccount {
  readonly name: string;
  readonly apiKey: string;
  readonly secret?: string;
  readonly publicKeyPem?: string;
  readonly passphrase?: string;
}

export interface DeskKey {
  readonly keyId: string;
  readonly account: StoredAccount;
}

const DESK = 'desk';
/** An import waits for all three parties. */
const WAIT_MS = 120_000;

/** A key that the vault makes, whose public half the venue gets, or a secret that the venue hands out. */
export function createDeskKey(
  admin: LabAdministrator,
  venue: LabVenue,
  mark: string,
): Promise<DeskKey> {
  return venue.secret === 'generated'
    ? generateDeskKey(admin, venue, mark)
    : importDeskKey(admin, venue, mark);
}

function apiKeyFor({ secret }: LabVenue): string {
  const text = randomBytes(16).toString('hex');
  return secret === 'ed25519' ? `organizations/lab/apiKeys/${text}` : `Lab${text}`;
}

async function generateDeskKey(
  { client }: LabAdministrator,
  venue: LabVenue,
  mark: string,
): Promise<DeskKey> {
  const apiKey = apiKeyFor(venue);
  const body = {
    type: 'ed25519',
    display_name: nameOf(venue, mark),
    venue_id: venue.id,
    venue_api_key: apiKey,
  } as const;
  const key = valueOf(await client.call('generate-key', { body, waitMs: WAIT_MS }));
  const publicKeyPem = key.public_key?.pem;
  if (publicKeyPem === undefined) throw new Error('the vault shows no public key');
  return { keyId: key.id, account: { name: DESK, apiKey, publicKeyPem } };
}

async function importDeskKey(
  { client, userId, vault }: LabAdministrator,
  venue: LabVenue,
  mark: string,
): Promise<DeskKey> {
  const { secret, account } = handedOut(venue);
  const key = valueOf(
    await importSecret(client, {
      secret,
      vault,
      userId,
      displayName: nameOf(venue, mark),
      venueId: venue.id,
      venueApiKey: account.apiKey,
      waitMs: WAIT_MS,
    }),
  );
  return { keyId: key.id, account };
}

function handedOut(venue: LabVenue): { secret: ImportedSecret; account: StoredAccount } {
  const apiKey = apiKeyFor(venue);
  if (venue.secret === 'ed25519') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
    const publicKeyPem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
    return {
      secret: { type: 'ed25519', seed, encoding: 'seed' },
      account: { name: DESK, apiKey, publicKeyPem },
    };
  }
  const isText = venue.secret === 'text';
  const text = randomBytes(isText ? 32 : 64).toString(isText ? 'hex' : 'base64');
  const passphrase = venue.hasPassphrase === true ? randomBytes(8).toString('hex') : '';
  const encoding = isText ? 'utf8' : 'base64';
  return {
    secret: { type: 'hmac', secret: Buffer.from(text, encoding), passphrase, encoding },
    account: { name: DESK, apiKey, secret: text, ...(passphrase !== '' && { passphrase }) },
  };
}

function nameOf({ id }: LabVenue, mark: string): string {
  return `lab ${id}${mark}`;
}
