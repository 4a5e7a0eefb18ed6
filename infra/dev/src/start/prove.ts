/** Shows that the vault works: a wallet nobody holds, a signature by two of three, checked elsewhere. */
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { verifyAsync } from '@noble/ed25519';
import { valueOf } from '@countersign/client/call-result.js';
import type {
  CountersignClient,
  CountersignClientOptions,
} from '@countersign/client/countersign-client.js';

export interface Proof {
  readonly vaultId: string;
  readonly address: string;
  readonly messageBase64: string;
  readonly signatureBase64: string;
  readonly parties: readonly number[];
}

const NAME = 'first start';

/**
 * How long the proof asks again, as a bot would: a machine that is busy starting other things answers 504 for a while,
 * and says nothing about the vault by that. Each call has two minutes.
 */
export const PROOF_PATIENCE = {
  retries: { attempts: 240, pauseMs: 250, maxPauseMs: 1_000 },
  waitMs: 120_000,
} as const satisfies Pick<CountersignClientOptions, 'retries' | 'waitMs'>;

/** Makes what is missing (vault, wallet, group, policy), signs, verifies. Throws at the first fault. */
export async function prove(client: CountersignClient, adminId: string): Promise<Proof> {
  const vaultId = await findOrCreateVault(client);
  const wallet = await findOrCreateWallet(client, vaultId, adminId);
  const message = Buffer.from(`countersign proof ${randomBytes(16).toString('hex')}`);
  const {
    signature,
    public_key: publicKey,
    receipt,
  } = valueOf(
    await client.call('raw-sign', {
      params: { vault_id: vaultId, address: wallet.address },
      body: { message: message.toString('base64') },
    }),
  );
  await verifyIndependently(publicKey, message, signature);
  return {
    vaultId,
    address: wallet.address,
    messageBase64: message.toString('base64'),
    signatureBase64: signature,
    parties: receipt.parties,
  };
}

/** Two libraries that share no code with what made the signature: OpenSSL and @noble/ed25519. */
async function verifyIndependently(
  publicKey: string,
  message: Buffer,
  signature: string,
): Promise<void> {
  const raw = Buffer.from(publicKey, 'base64');
  const bytes = Buffer.from(signature, 'base64');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const verdicts = [
    verify(null, message, key, bytes),
    await verifyAsync(bytes, message, raw, { zip215: false }),
  ];
  if (verdicts.includes(false)) throw new Error('the signature does not verify');
}

async function findOrCreateVault(client: CountersignClient): Promise<string> {
  const page = valueOf(await client.call('list-vaults', { query: { display_name_like: NAME } }));
  const found = page.results.find((vault) => vault.display_name === NAME);
  if (found !== undefined) return found.id;
  return valueOf(await client.call('create-vault', { body: { display_name: NAME } })).id;
}

async function findOrCreateWallet(
  client: CountersignClient,
  vaultId: string,
  adminId: string,
): Promise<{ readonly address: string }> {
  const params = { vault_id: vaultId };
  const page = valueOf(await client.call('list-wallets', { params, query: { limit: '1' } }));
  const found = page.results[0];
  if (found !== undefined) return found;
  const wallet = valueOf(
    await client.call('create-wallet', {
      params,
      body: { network_family: 'solana', display_name: NAME },
    }),
  );
  const group = valueOf(
    await client.call('create-security-group', {
      body: {
        display_name: NAME,
        vault_ids: [vaultId],
        members: [{ member_id: wallet.id, member_type: 'wallet' }],
      },
    }),
  );
  valueOf(
    await client.call('create-signing-policy', {
      body: {
        display_name: NAME,
        security_group_id: group.id,
        rules: [
          {
            display_name: 'the first administrator may sign messages',
            when: { operations: ['raw_sign'], initiators: { user_ids: [adminId] } },
            then: 'allow',
          },
        ],
      },
    }),
  );
  return wallet;
}
