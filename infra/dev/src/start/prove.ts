/** Shows that the vault works: a wallet nobody holds, a signature by two of three, checked elsewhere. */
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { verifyAsync } from '@noble/ed25519';
import type { ClientResponse, SigningClient } from '../client/signing-client.js';

export interface Proof {
  readonly vaultId: string;
  readonly address: string;
  readonly messageBase64: string;
  readonly signatureBase64: string;
  readonly parties: readonly number[];
}

const NAME = 'first start';

/** Makes what is missing (vault, wallet, group, policy), signs, verifies. Throws at the first fault. */
export async function prove(client: SigningClient, adminId: string): Promise<Proof> {
  const vaultId = await findOrCreateVault(client);
  const wallet = await findOrCreateWallet(client, vaultId, adminId);
  const message = Buffer.from(`countersign proof ${randomBytes(16).toString('hex')}`);
  const answer = await send(
    client,
    'POST',
    `/v1/vaults/${vaultId}/wallets/${wallet.address}/raw-sign`,
    {
      message: message.toString('base64'),
    },
  );
  const {
    signature,
    public_key: publicKey,
    receipt,
  } = answer as {
    signature: string;
    public_key: string;
    receipt: { parties: number[] };
  };
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

async function findOrCreateVault(client: SigningClient): Promise<string> {
  const name = encodeURIComponent(NAME);
  const page = expect200(await client.get(`/v1/vaults?display_name_like=${name}`));
  const found = (page as { results: { id: string; display_name: string }[] }).results.find(
    (vault) => vault.display_name === NAME,
  );
  if (found !== undefined) return found.id;
  const created = await send(client, 'POST', '/v1/vaults', { display_name: NAME });
  return (created as { id: string }).id;
}

interface Wallet {
  readonly id: string;
  readonly address: string;
}

async function findOrCreateWallet(
  client: SigningClient,
  vaultId: string,
  adminId: string,
): Promise<Wallet> {
  const page = expect200(await client.get(`/v1/vaults/${vaultId}/wallets?limit=1`));
  const found = (page as { results: Wallet[] }).results[0];
  if (found !== undefined) return found;
  const wallet = (await send(
    client,
    'POST',
    `/v1/vaults/${vaultId}/wallets`,
    { network_family: 'solana', display_name: NAME },
    { prefer: 'wait=30' },
  )) as Wallet;
  const group = (await send(client, 'POST', '/v1/security-groups', {
    display_name: NAME,
    vault_ids: [vaultId],
    members: [{ member_id: wallet.id, member_type: 'wallet' }],
  })) as { id: string };
  await send(client, 'POST', '/v1/signing-policies', {
    display_name: NAME,
    security_group_id: group.id,
    rules: [
      {
        display_name: 'the first administrator may sign messages',
        when: { operations: ['raw_sign'], initiators: { user_ids: [adminId] } },
        then: 'allow',
      },
    ],
  });
  return wallet;
}

async function send(
  client: SigningClient,
  method: string,
  target: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<unknown> {
  return expect200(await client.send({ method, target, body, headers }));
}

function expect200(response: ClientResponse): unknown {
  if (response.status !== 200) throw new Error(`HTTP ${response.status}: ${response.text}`);
  return response.body;
}
