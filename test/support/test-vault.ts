/** A whole vault for tests: one gateway and three parties as separate processes, real servers. */
import { createPrivateKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createCountersignClient } from '../../client/dist/calls/countersign-client.js';
import type { RawClient } from '../../client/dist/calls/raw-client.js';
import type {
  CallerCredential,
  KeyCredential,
  PersonCredential,
} from '../../client/dist/signing/sign-request.js';
import { openStack, type Stack, type StackOptions } from '../../infra/dev/dist/stack/open-stack.js';
import {
  openDevelopmentProvider,
  type DevelopmentProvider,
} from '../../infra/dev/dist/sign-in/development-provider.js';
import { rawPublicKey } from '../../infra/dev/dist/stack/prepare-vault.js';
import type { PreparedVault } from '../../infra/dev/dist/stack/prepare-vault.js';
import { checkedClient } from './checked-client.ts';
import { openPrepared } from './prepared-vault.ts';
import { openTestServers, requireEnv, type TestServers } from './test-servers.ts';
import type { SharedVaultFacts } from './shared-vault-host.ts';

export interface TestUser {
  readonly id: string;
  readonly credential: KeyCredential;
  readonly client: RawClient;
}

/** A running vault as its users see it, and the logins of its database. */
export interface VaultInUse {
  readonly servers: Pick<TestServers, 'ownerUrl' | 'roleUrls'>;
  readonly prepared: Pick<PreparedVault, 'admin'>;
  readonly baseUrl: string;
  /** Of the identity provider whose tokens count; empty where there is none. */
  readonly issuer: string;
  readonly adminId: string;
  readonly adminCredential: KeyCredential;
  /** Every response is validated against the service's own API description. */
  readonly admin: RawClient;
  clientFor(credential: KeyCredential, baseUrl?: string): RawClient;
  clientOfPerson(credential: PersonCredential): RawClient;
  /** A new machine user, with what else the body should say. */
  createMachine(body?: Record<string, unknown>): Promise<TestUser>;
  /** A vault with a Solana wallet that `initiators` (default: the administrator) may sign with. */
  createWallet(options?: {
    initiators?: string[];
    operations?: string[];
    networkFamily?: string;
  }): Promise<TestWallet>;
  close(): Promise<void>;
}

/** A vault that a test file has to itself. */
export interface TestVault extends VaultInUse {
  readonly servers: TestServers;
  readonly prepared: PreparedVault;
  readonly stack: Stack;
  readonly options: StackOptions;
}

export interface TestWallet {
  readonly vaultId: string;
  readonly walletId: string;
  readonly keyId: string;
  readonly address: string;
  /** Raw, base64. */
  readonly publicKey: string;
  readonly groupId: string;
  readonly policyId: string;
  readonly path: string;
}

/** Names are unique in a vault, which other files may use as well. */
const MARK = randomBytes(4).toString('hex');
let counter = 0;

export async function openTestVault({
  logLevel = 'info',
  execArgv = [],
  rsaStock = 0,
  anchorEveryS = 3_600,
  hasNotifier = false,
  hasSignIn = false,
  readyTimeoutMs,
  metricsPort,
  tracesTo,
  onServers = async () => undefined,
  place = (prepared) => prepared,
}: {
  logLevel?: string;
  execArgv?: readonly string[];
  rsaStock?: number;
  /** Hardly ever by default: then nothing is in the ledger but what a test asked for. */
  anchorEveryS?: number;
  /** Whether events are sent. */
  hasNotifier?: boolean;
  /** Whether people sign in, at a provider for development. */
  hasSignIn?: boolean;
  /** Of gateway and parties, for a ledger that is long from the start. */
  readyTimeoutMs?: number;
  /** Of every process; 0 takes free ones. */
  metricsPort?: number;
  /** A collector of spans. */
  tracesTo?: string;
  /** Before anything else uses them. */
  onServers?: (servers: TestServers) => Promise<void>;
  /** Where its files lie, if not where they were prepared. */
  place?: (prepared: PreparedVault) => PreparedVault;
} = {}): Promise<TestVault> {
  const servers = await openTestServers('vault');
  await onServers(servers);
  const provider = hasSignIn ? await openSignIn(servers) : undefined;
  const vault = place(await openPrepared(servers));
  const { prepared, options, stack } = await openStackOn(servers, vault, {
    logLevel,
    execArgv,
    rsaStock,
    rsaStockDelayS: 0,
    anchorEveryS,
    hasNotifier,
    providersFile: provider?.providersFile,
    ...(readyTimeoutMs !== undefined && { readyTimeoutMs }),
    ...(metricsPort !== undefined && { metricsPort }),
    tracesTo,
  }).catch(async (error: unknown) => {
    await provider?.close();
    await servers.close(); // nobody else would
    throw error;
  });
  const issuer = provider?.issuer ?? '';
  const inUse = useVault({ servers, prepared, baseUrl: stack.baseUrl, issuer });
  return {
    ...inUse,
    servers,
    prepared,
    stack,
    options,
    async close() {
      await inUse.close();
      await stack.stop();
      await provider?.close();
      await servers.close();
    },
  };
}

function openSignIn({ home }: TestServers): Promise<DevelopmentProvider> {
  return openDevelopmentProvider(0, `${home}/identity-providers.json`);
}

/**
 * The vault that test files share: for those that use names and ids of their own, and neither stop, freeze
 * nor set anything that is not theirs. Closing it closes the connections to it.
 */
export async function openSharedVault(): Promise<VaultInUse> {
  const response = await fetch(requireEnv('COUNTERSIGN_TEST_SHARED_VAULT'));
  if (!response.ok) throw new Error(`no shared vault: ${await response.text()}`);
  const { baseUrl, ownerUrl, roleUrls, admin, issuer } =
    (await response.json()) as SharedVaultFacts;
  return useVault({ servers: { ownerUrl, roleUrls }, prepared: { admin }, baseUrl, issuer });
}

export function useVault(
  running: Pick<VaultInUse, 'servers' | 'prepared' | 'baseUrl' | 'issuer'>,
): VaultInUse {
  const { prepared } = running;
  const clients: RawClient[] = [];
  const clientFor = (credential: CallerCredential, baseUrl = running.baseUrl) => {
    const client = checkedClient(createCountersignClient({ baseUrl, ...credential }));
    clients.push(client);
    return client;
  };
  const adminCredential = {
    apiKey: prepared.admin.api_key,
    privateKey: createPrivateKey(readFileSync(prepared.admin.private_key_file)),
  };
  const admin = clientFor(adminCredential);
  const adminId = prepared.admin.user_id;

  return {
    ...running,
    adminId,
    adminCredential,
    admin,
    clientFor,
    clientOfPerson: clientFor,
    async createMachine(body = {}) {
      const { privateKey, publicKey } = newMachineKey();
      const created = await expectOk<{ id: string; api_key: string }>(admin, 'POST', '/v1/users', {
        type: 'machine',
        display_name: `machine ${MARK} ${++counter}`,
        public_key: publicKey,
        ...body,
      });
      const credential = { apiKey: created.api_key, privateKey };
      return { id: created.id, credential, client: clientFor(credential) };
    },
    async createWallet({
      initiators = [adminId],
      operations = ['raw_sign', 'sign'],
      networkFamily = 'solana',
    } = {}) {
      const name = `test ${MARK} ${++counter}`;
      const vault = await expectOk<{ id: string }>(admin, 'POST', '/v1/vaults', {
        display_name: name,
      });
      const wallet = await expectOk<{
        id: string;
        address: string;
        key_id: string;
        public_key: { raw: string };
      }>(admin, 'POST', `/v1/vaults/${vault.id}/wallets`, { network_family: networkFamily });
      const group = await expectOk<{ id: string }>(admin, 'POST', '/v1/security-groups', {
        display_name: name,
        members: [{ member_id: wallet.id, member_type: 'wallet' }],
      });
      const policy = await expectOk<{ id: string }>(admin, 'POST', '/v1/signing-policies', {
        display_name: name,
        security_group_id: group.id,
        rules: [
          {
            display_name: 'allow',
            when: { operations, initiators: { user_ids: initiators } },
            then: 'allow',
          },
        ],
      });
      return {
        vaultId: vault.id,
        walletId: wallet.id,
        keyId: wallet.key_id,
        address: wallet.address,
        publicKey: wallet.public_key.raw,
        groupId: group.id,
        policyId: policy.id,
        path: `/v1/vaults/${vault.id}/wallets/${wallet.address}`,
      };
    },
    async close() {
      for (const client of clients) client.close();
    },
  };
}

async function openStackOn(
  servers: TestServers,
  prepared: PreparedVault,
  settings: Omit<StackOptions, 'vault' | 'redisUrl'>,
): Promise<Pick<TestVault, 'prepared' | 'options' | 'stack'>> {
  const options = { ...settings, vault: prepared, redisUrl: servers.redis.url };
  return { prepared, options, stack: await openStack(options, 0) };
}

export function newMachineKey(): { privateKey: KeyObject; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { privateKey, publicKey: rawPublicKey(privateKey).toString('base64url') };
}

/** As long as the service lets a caller wait: a slow machine is no reason for a 202. */
export const PATIENT = { prefer: 'wait=30' } as const;

/** The body of a 200, however long the work takes; fails with the whole response otherwise. */
export async function expectOk<Body>(
  client: RawClient,
  method: string,
  target: string,
  body?: unknown,
  headers: Record<string, string> = PATIENT,
): Promise<Body> {
  const response =
    method === 'GET'
      ? await client.get(target)
      : await client.send({ method, target, headers, ...(body !== undefined && { body }) });
  if (response.status !== 200) {
    throw new Error(`${method} ${target}: HTTP ${response.status} ${response.text}`);
  }
  return response.body as Body;
}

/** Between two looks at a condition. */
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 250;

/**
 * Waits for a condition, without a fixed sleep; the limit is for machines with much else to do. It looks less often the longer
 * it takes, a twentieth of the time late at most: to ask takes time from what is waited for.
 */
export async function eventually<Value>(
  check: () => Promise<Value | undefined | false> | Value | undefined | false,
  timeoutMs = 25_000,
): Promise<Value> {
  const begun = Date.now();
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value as Value;
    const waited = Date.now() - begun;
    if (waited > timeoutMs) throw new Error('the condition did not come to hold in time');
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, waited / 20));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
