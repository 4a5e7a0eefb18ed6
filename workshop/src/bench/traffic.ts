/** Who asks in a benchmark, and for what: callers, with a policy that allows them all that they ask for. */
import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildImportRequest } from '@countersign/client/build-import-request.js';
import { valueOf } from '@countersign/client/call-result.js';
import {
  createCountersignClient,
  type CountersignClient,
  type OperationInput,
} from '@countersign/client/countersign-client.js';
import { parsePinnedVault } from '@countersign/client/pinned-vault.js';
import { rawPublicKey } from '@countersign/dev/stack/prepare-vault.js';
import type { Single } from './bench-options.js';
import type { OpenVault } from './bench-vault.js';
import type { LoadCaller, Traffic } from './load.js';

const CALLERS = 8;
const KEYS = 16;
/** They take long to make. */
const RSA_KEYS = 2;
const POLL_MS = 50;

/** `purpose`: once for each vault. `limits`: what the one rule asks for besides. */
export function prepareTraffic(
  open: OpenVault,
  kind: Single,
  purpose: string = kind,
  limits: Pick<When, 'velocity'> = {},
): Promise<Traffic> {
  return withAdmin(open, async (admin) => {
    const callers = await times(CALLERS, (index) => createCaller(admin, `${purpose} ${index}`));
    const { traffic, members, when, vaultIds } = await SUBJECTS[kind](admin, open, purpose);
    const group = valueOf(
      await admin.call('create-security-group', {
        body: { display_name: purpose, members, ...(vaultIds && { vault_ids: vaultIds }) },
      }),
    );
    const initiators = { user_ids: callers.map(({ id }) => id) };
    const rule = {
      display_name: 'allowed',
      when: { ...when, ...limits, initiators },
      then: 'allow',
    } as const;
    const body = { display_name: purpose, security_group_id: group.id, rules: [rule] };
    valueOf(await admin.call('create-signing-policy', { body }));
    return { ...traffic, callers };
  });
}

/** The same signatures, so many in each request. */
export function inBatches(traffic: Traffic, itemsEach: number): Traffic {
  const targets = traffic.targets.map((target) => `${target}-batch`);
  return { ...traffic, targets, itemsEach };
}

export async function withAdmin<Result>(
  { vault, stack }: OpenVault,
  run: (admin: CountersignClient) => Promise<Result>,
): Promise<Result> {
  const admin = createCountersignClient({
    baseUrl: stack.baseUrl,
    apiKey: vault.admin.api_key,
    privateKey: createPrivateKey(readFileSync(vault.admin.private_key_file)),
    // it asks at most POLL_MS too late, and nothing twice: what it adds would be measured, too
    retries: false,
    preferWaitS: 30,
    pollMs: POLL_MS,
    maxPollMs: POLL_MS,
  });
  try {
    return await run(admin);
  } finally {
    admin.close();
  }
}

type When = OperationInput<'create-signing-policy'>['body']['rules'][number]['when'];

interface Subject {
  readonly traffic: Pick<Traffic, 'kind' | 'targets'>;
  readonly members: { member_id: string; member_type: 'wallet' | 'key' }[];
  readonly when: When;
  readonly vaultIds?: string[];
}

type MakeSubject = (admin: CountersignClient, open: OpenVault, purpose: string) => Promise<Subject>;

const SUBJECTS: Readonly<Record<Single, MakeSubject>> = {
  async sign(admin, _open, purpose) {
    const { id } = valueOf(await admin.call('create-vault', { body: { display_name: purpose } }));
    const params = { vault_id: id };
    const body = { network_family: 'solana' } as const;
    const wallets = await times(KEYS, async () =>
      valueOf(await admin.call('create-wallet', { params, body })),
    );
    const targets = wallets.map(({ address }) => `/v1/vaults/${id}/wallets/${address}/raw-sign`);
    const members = wallets.map((wallet) => ({
      member_id: wallet.id,
      member_type: 'wallet' as const,
    }));
    const when = { operations: ['raw_sign' as const] };
    return { traffic: { kind: 'sign', targets }, members, when, vaultIds: [id] };
  },
  async venue(admin, open) {
    const ids = await importHmacKeys(admin, open);
    const targets = ids.map((id) => `/v1/keys/${id}/sign`);
    const when = { operation_classes: ['trade' as const] };
    return { traffic: { kind: 'venue', targets }, members: keyMembers(ids), when };
  },
  async rsa(admin) {
    const ids: string[] = [];
    while (ids.length < RSA_KEYS) {
      const body = { type: 'rsa', modulus_bits: 2048, display_name: `rsa ${ids.length}` } as const;
      ids.push(valueOf(await admin.call('generate-key', { body })).id);
    }
    const targets = ids.map((id) => `/v1/keys/${id}/raw-sign`);
    const when = { operations: ['raw_sign' as const] };
    return { traffic: { kind: 'key', targets }, members: keyMembers(ids), when };
  },
};

/** Each a fresh secret of Binance, split and sealed as a desk does it. */
async function importHmacKeys(admin: CountersignClient, { vault }: OpenVault): Promise<string[]> {
  const pinned = parsePinnedVault(JSON.parse(readFileSync(vault.genesisFile, 'utf8')));
  if (pinned === undefined) throw new Error('the genesis file is none');
  const recipients = await recipientsOf(admin);
  return times(KEYS, async (index) => {
    const body = await buildImportRequest({
      ...pinned,
      secret: { type: 'hmac', secret: randomBytes(48), passphrase: '', encoding: 'utf8' },
      recipients,
      userId: vault.admin.user_id,
      now: Date.now(),
      displayName: `imported ${index}`,
      venueId: 'binance',
      venueApiKey: `apiKey${index}`,
    });
    return valueOf(await admin.call('import-key', { body })).id;
  });
}

/** Once all three parties have their import keys. */
async function recipientsOf(admin: CountersignClient): Promise<unknown> {
  for (;;) {
    const answer = valueOf(await admin.call('get-import-recipients'));
    if (answer.recipients.length === 3) return answer;
    await sleep(POLL_MS);
  }
}

async function createCaller(
  admin: CountersignClient,
  displayName: string,
): Promise<LoadCaller & { readonly id: string }> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicKey = rawPublicKey(privateKey).toString('base64url');
  const body = { type: 'machine', display_name: displayName, public_key: publicKey } as const;
  const created = valueOf(await admin.call('create-user', { body }));
  if (!('api_key' in created) || created.api_key === undefined) throw new Error('no API key');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  return { id: created.id, apiKey: created.api_key, privateKey: pem };
}

function keyMembers(ids: readonly string[]): Subject['members'] {
  return ids.map((id) => ({ member_id: id, member_type: 'key' }));
}

function times<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}
