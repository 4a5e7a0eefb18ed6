/** Imports through the desk's own library, as its command does. */
import { buildImportRequest } from '../../client/dist/sealing/build-import-request.js';
import type {
  ImportRequestBody,
  KeyMetadata,
} from '../../client/dist/sealing/build-import-request.js';
import type { ImportedSecret } from '../../client/dist/keys/imported-secret.js';
import { eventually, expectOk, type VaultInUse } from './test-vault.ts';
import { readGenesis } from './genesis.ts';
import { completeKey, type KeyView } from './standalone-keys.ts';

let counter = 0;

export async function importRequest(
  vault: VaultInUse,
  secret: ImportedSecret,
  metadata: Partial<KeyMetadata> = {},
  userId = vault.adminId,
): Promise<ImportRequestBody> {
  const { genesisHash, parties } = await readGenesis(vault);
  return buildImportRequest({
    displayName: `imported ${++counter}`,
    ...metadata,
    secret,
    genesisHash,
    identities: parties,
    recipients: await importRecipients(vault),
    userId,
    now: Date.now(),
  });
}

/** The parties' keys for imports, once all three have one. */
export function importRecipients(vault: VaultInUse): Promise<{ recipients: unknown[] }> {
  return eventually(async () => {
    const answer = await expectOk<{ recipients: unknown[] }>(
      vault.admin,
      'GET',
      '/v1/keys/import-recipients',
    );
    return answer.recipients.length === 3 ? answer : undefined;
  });
}

export async function importSecret(
  vault: VaultInUse,
  secret: ImportedSecret,
  metadata: Partial<KeyMetadata> = {},
): Promise<KeyView> {
  const body = await importRequest(vault, secret, metadata);
  return completeKey(vault, '/v1/keys/import', body);
}
