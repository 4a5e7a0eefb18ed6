/** Fills a ledger with users: signed by the administrator, and appended without the gateway. */
import { createPrivateKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import type { Evidence } from '@countersign/core/evidence.js';
import { readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/entry.js';
import { createLedgerStore } from '@countersign/runtime/ledger/ledger-store.js';
import { signTranscript } from '@countersign/client/sign-request.js';
import pg from 'pg';
import { rawPublicKey, type PreparedVault } from '@countersign/dev/stack/prepare-vault.js';
import { adminCaller } from './bench-callers.js';

const BATCH = 500;

export interface EvidenceSigner {
  readonly apiKey: string;
  readonly privateKey: KeyObject;
}

export async function appendUsers(vault: PreparedVault, count: number): Promise<void> {
  const { apiKey, privateKey } = adminCaller(vault);
  const signer = { apiKey, privateKey: createPrivateKey(privateKey) };
  const keys = readEvidenceKeys(vault.evidenceKeyFile);
  const pool = new pg.Pool({ connectionString: vault.roleUrls.gateway, max: 1 });
  try {
    const store = createLedgerStore(pool);
    const publicKey = rawPublicKey(generateKeyPairSync('ed25519').privateKey).toString('base64url');
    for (let made = 0; made < count; made += BATCH) {
      const bodies = Array.from({ length: Math.min(BATCH, count - made) }, (_, index) => {
        const now = Date.now();
        return encodeEvidenceEntry(
          now,
          signEvidence(signer, '/v1/users', now, {
            type: 'machine',
            display_name: `user ${made + index}`,
            public_key: publicKey,
          }),
          keys,
        );
      });
      await store.append(bodies);
    }
  } finally {
    await pool.end();
  }
}

/** A signed POST, as the gateway would have taken it from the wire. */
export function signEvidence(
  { apiKey, privateKey }: EvidenceSigner,
  path: string,
  timestampMs: number,
  body: unknown,
): Evidence {
  const transcript = {
    method: 'POST',
    path,
    query: '',
    body: Buffer.from(JSON.stringify(body)),
    credential: apiKey,
    timestampMs,
    nonce: randomBytes(8),
  };
  return { ...transcript, scheme: 'ApiKey', assertion: signTranscript(transcript, privateKey) };
}
