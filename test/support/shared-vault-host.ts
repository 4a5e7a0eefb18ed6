/** The one vault that several test files share. Held by Jest's own process, opened when the first of them asks. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  openDevelopmentProvider,
  type DevelopmentProvider,
} from '../../infra/dev/dist/sign-in/development-provider.js';
import { openStack } from '../../infra/dev/dist/stack/open-stack.js';
import type { AdminCredential } from '../../infra/dev/dist/stack/prepare-vault.js';
import { openPrepared } from './prepared-vault.ts';
import { openTestServers, type TestServers } from './test-servers.ts';

/** What a test file is told, as JSON. */
export interface SharedVaultFacts {
  readonly baseUrl: string;
  readonly ownerUrl: string;
  readonly roleUrls: TestServers['roleUrls'];
  readonly admin: AdminCredential;
  /** Of the development provider, whose tokens count. */
  readonly issuer: string;
}

interface OpenVault {
  readonly facts: SharedVaultFacts;
  close(): Promise<void>;
}

/** Answers every GET with the facts, or 500 and why there is no vault. */
export async function openSharedVaultHost(): Promise<{ url: string; close(): Promise<void> }> {
  let opening: Promise<OpenVault> | undefined;
  const server = createServer((_request, response) => {
    opening ??= openVault();
    opening.then(
      ({ facts }) => response.end(JSON.stringify(facts)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      // one that could not be opened has left nothing, and whoever asked for it was told
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

async function openVault(): Promise<OpenVault> {
  const servers = await openTestServers('vault');
  let provider: DevelopmentProvider | undefined;
  try {
    provider = await openDevelopmentProvider(0, `${servers.home}/identity-providers.json`);
    const { issuer, providersFile } = provider;
    const signIn = provider;
    const vault = await openPrepared(servers);
    const options = { vault, redisUrl: servers.redis.url, logLevel: 'info', providersFile };
    const stack = await openStack(options, 0);
    const { ownerUrl, roleUrls } = servers;
    return {
      facts: { baseUrl: stack.baseUrl, ownerUrl, roleUrls, admin: vault.admin, issuer },
      async close() {
        await stack.stop();
        await signIn.close();
        await servers.close();
      },
    };
  } catch (error) {
    await provider?.close();
    await servers.close();
    throw error;
  }
}
