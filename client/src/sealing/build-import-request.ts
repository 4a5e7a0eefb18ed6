/** The body of `POST /v1/keys/import`: a secret split, and each part sealed to its party. */
import { toBase64 } from '@countersign/core/bytes.js';
import type { OperationBody } from '@countersign/api/operation.js';
import type { importKeyOperation } from '@countersign/api/operations/keys.js';
import { schemesOf, type SignatureScheme } from '@countersign/core/signature-schemes.js';
import { publicKeyOf, type ImportedSecret } from '../keys/imported-secret.js';
import type { PinnedVault } from '../answers/pinned-vault.js';
import { splitSecret, wipeParts } from '../splitting/split-secret.js';
import { verifyImportRecipients } from './import-recipients.js';
import { sealImportPackage } from './seal-import.js';

/** What the vault stores beside the key; the signature of the request covers it. */
export interface KeyMetadata {
  /** Without one the vault takes that of the venue, or the first of the key's type. */
  readonly scheme?: SignatureScheme;
  readonly displayName: string;
  readonly description?: string;
  readonly venueId?: string;
  /** The key's identifier at the venue. No secret. */
  readonly venueApiKey?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface ImportRequestInput extends KeyMetadata, PinnedVault {
  readonly secret: ImportedSecret;
  /** The answer to `GET /v1/keys/import-recipients`, as it came: it is checked here. */
  readonly recipients: unknown;
  /** Of the user who will send the request: nobody else can import what was sealed for them. */
  readonly userId: string;
  /** ms since the Unix epoch. */
  readonly now: number;
}

/** As the API has it. */
export type ImportRequestBody = OperationBody<typeof importKeyOperation>;

/**
 * Throws RangeError when the scheme is not one of the key's type, and VaultAnswerError, before anything
 * is sealed, when the recipients do not check out. The secret stays the caller's to wipe.
 */
export async function buildImportRequest(input: ImportRequestInput): Promise<ImportRequestBody> {
  const { secret, scheme } = input;
  if (scheme !== undefined && !schemesOf(secret.type).includes(scheme)) {
    throw new RangeError(`the schemes of ${secret.type} are ${schemesOf(secret.type).join(', ')}`);
  }
  const shares = await sealShares(input);
  return {
    type: secret.type,
    ...(scheme !== undefined && { scheme }),
    display_name: input.displayName,
    ...(input.description !== undefined && { description: input.description }),
    ...(input.venueId !== undefined && { venue_id: input.venueId }),
    ...(input.venueApiKey !== undefined && { venue_api_key: input.venueApiKey }),
    ...(input.labels !== undefined && { labels: input.labels }),
    encoding: secret.encoding,
    ...publicKeyField(secret),
    shares,
  };
}

async function sealShares(input: ImportRequestInput): Promise<ImportRequestBody['shares']> {
  const { secret, userId, genesisHash } = input;
  const recipients = verifyImportRecipients(input.recipients, input, input.now);
  const split = splitSecret(secret);
  try {
    return await Promise.all(
      recipients.map(async ({ party, recipientId, publicKey }) => ({
        party,
        recipient_id: recipientId,
        sealed: await sealImportPackage(
          { party, common: split.common, part: split.parts[party] },
          { recipientPublicKey: publicKey, genesisHash, userId },
        ),
      })),
    );
  } finally {
    wipeParts(split);
  }
}

function publicKeyField(secret: ImportedSecret): { public_key?: string } {
  const spki = publicKeyOf(secret)?.export({ format: 'der', type: 'spki' });
  if (spki === undefined) return {};
  return { public_key: toBase64(secret.type === 'ed25519' ? spki.subarray(-32) : spki) };
}
