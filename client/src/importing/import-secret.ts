/** A secret at hand becomes a key of the vault, without the service ever seeing it. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { failure, type CallResult } from '../answers/call-result.js';
import { ownField, textField } from '../answers/json-fields.js';
import type { PinnedVault } from '../answers/pinned-vault.js';
import { VaultAnswerError } from '../answers/vault-answer-error.js';
import type { OperationCalls, OperationValue } from '../calls/operation-calls.js';
import { publicKeyOf, type ImportedSecret } from '../keys/imported-secret.js';
import {
  buildImportRequest,
  type ImportRequestBody,
  type KeyMetadata,
} from '../sealing/build-import-request.js';

export interface SecretImport extends KeyMetadata {
  /** Stays the caller's to wipe. */
  readonly secret: ImportedSecret;
  /** Brought along by the caller, never asked of the service. */
  readonly vault: PinnedVault;
  /**
   * The caller's own id, as told when the API key was created. Never taken from the service: sealed for
   * another user's id, the parts would be that user's to import.
   */
  readonly userId: string;
  /** As of a call. */
  readonly waitMs?: number;
}

export type ImportResult = CallResult<OperationValue<'import-key'>>;

/**
 * Splits the secret, seals each part to a party of the pinned vault, and waits until the key is active.
 * Throws RangeError when the scheme is not one of the key's type.
 */
export async function importSecret(
  client: Pick<OperationCalls, 'call'>,
  wanted: SecretImport,
): Promise<ImportResult> {
  const { userId, secret, waitMs } = wanted;
  const caller = await client.call('whoami');
  if (!caller.ok) return caller;
  // tells a mistake of the caller early; what is sealed rests on `userId` alone
  if (textField(caller.value, 'id') !== userId) {
    return failure('untrusted', 'the API key belongs to another user than the named one');
  }
  const recipients = await client.call('get-import-recipients');
  if (!recipients.ok) return recipients;
  const body = await sealed(wanted, recipients.value);
  if ('ok' in body) return body;
  const imported = await client.call('import-key', {
    body,
    ...(waitMs !== undefined && { waitMs }),
  });
  return imported.ok ? checkKey(imported, publicKeyOf(secret)) : imported;
}

async function sealed(
  { vault, ...wanted }: SecretImport,
  recipients: unknown,
): Promise<ImportRequestBody | CallResult<never>> {
  try {
    return await buildImportRequest({ ...wanted, ...vault, recipients, now: Date.now() });
  } catch (error) {
    if (error instanceof VaultAnswerError) return failure(error.errType, error.errMsg);
    throw error;
  }
}

/** Whoever pays into an account guarded by another key than the imported one has lost it. */
function checkKey(
  imported: ImportResult & { readonly ok: true },
  expected: KeyObject | undefined,
): ImportResult {
  if (textField(imported.value, 'id') === undefined) {
    return failure('bad_answer', 'the import gave no key');
  }
  if (expected === undefined) return imported;
  const pem = textField(ownField(imported.value, 'public_key'), 'pem');
  return pem !== undefined && parsePublicKey(pem)?.equals(expected) === true
    ? imported
    : failure('untrusted', 'the service shows another public key than that of the imported key');
}

function parsePublicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey({ key: pem, format: 'pem' });
  } catch {
    return undefined;
  }
}
