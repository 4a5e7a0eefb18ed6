/** Everything a vault needs before its processes start, made once and kept in the home folder. */
import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEvidenceKeyFile, readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { z } from 'zod';
import { migrate } from '@countersign/admin/database/migrate.js';
import { openRoleLogins, type RoleName } from '@countersign/admin/database/role-logins.js';
import type { PartyPublicKeys } from '@countersign/admin/genesis/create-genesis.js';
import { createWebhookKey } from '@countersign/admin/webhooks/create-webhook-key.js';
import { bundledProgram } from './programs.js';

const runFile = promisify(execFile);

const adminSchema = z.strictObject({
  user_id: z.uuid(),
  api_key: z.uuid(),
  private_key_file: z.string(),
});

export type AdminCredential = z.output<typeof adminSchema>;

/** Browsers let pages of `localhost` use passkeys without TLS. The port is the one that `npm start` takes where nobody says another. */
const DEVELOPMENT_ORIGIN = 'http://localhost:8080';

export interface PreparedVault {
  readonly home: string;
  readonly roleUrls: Readonly<Record<RoleName, string>>;
  readonly evidenceKeyFile: string;
  readonly webhookKeyFile: string;
  /** The public half of it. */
  readonly webhookKeysFile: string;
  readonly admin: AdminCredential;
  /** What every process trusts as the vault's genesis. */
  readonly genesisFile: string;
  /** Where a node remembers the ledger: another file for each name. */
  pinFile(name: string): string;
  keyDir(party: PartyNumber): string;
}

/** Schema and role logins. Safe to run again. `databaseUrl` is the owner's. */
export async function prepareDatabase(
  home: string,
  databaseUrl: string,
): Promise<Record<RoleName, string>> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  await migrate(databaseUrl);
  return openRoleLogins(databaseUrl, join(home, 'role-passwords.json'));
}

/**
 * Keys and genesis of a vault whose database is prepared. Safe to run again: what is there is kept, also the origin from which
 * its people sign.
 */
export async function prepareVault(
  home: string,
  roleUrls: Readonly<Record<RoleName, string>>,
  origin = DEVELOPMENT_ORIGIN,
): Promise<PreparedVault> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const evidenceKeyFile = join(home, 'evidence.key');
  if (!existsSync(evidenceKeyFile)) createEvidenceKeyFile(evidenceKeyFile);
  const webhookKeyFile = join(home, 'webhook.key');
  const webhookKeysFile = join(home, 'webhook-keys.json');
  if (!existsSync(webhookKeyFile)) createWebhookKey(webhookKeyFile, webhookKeysFile);
  const keyDir = (party: PartyNumber) => join(home, `party-${party}`);
  const admin =
    readAdmin(home) ??
    (await createAdmin(home, roleUrls.gateway, evidenceKeyFile, {
      keyDirs: PARTY_NUMBERS.map(keyDir),
      origin,
    }));
  const pinFile = (name: string) => join(home, 'pins', `${name}.json`);
  const genesisFile = genesisFileIn(home);
  const keyFiles = { evidenceKeyFile, webhookKeyFile, webhookKeysFile };
  return { home, roleUrls, ...keyFiles, admin, genesisFile, pinFile, keyDir };
}

function genesisFileIn(home: string): string {
  return join(home, 'genesis.json');
}

function readAdmin(home: string): AdminCredential | undefined {
  const path = join(home, 'admin.json');
  return existsSync(path) ? adminSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
}

async function createAdmin(
  home: string,
  databaseUrl: string,
  evidenceKeyFile: string,
  { keyDirs, origin }: { readonly keyDirs: readonly string[]; readonly origin: string },
): Promise<AdminCredential> {
  const parties = await Promise.all(
    keyDirs.map((folder, index) => createPartyKeys(folder, PARTY_NUMBERS[index]!)),
  );
  const { privateKey } = generateKeyPairSync('ed25519');
  const privateKeyFile = join(home, 'admin.pem');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
  writeFileSync(privateKeyFile, pem, { mode: 0o600 });
  const publicKey = rawPublicKey(privateKey).toString('base64');
  // once in the life of a vault, and with it comes all of the ledger
  const { createGenesis } = await import('@countersign/admin/genesis/create-genesis.js');
  const genesis = await createGenesis(databaseUrl, {
    parties,
    evidenceKeyIds: readEvidenceKeys(evidenceKeyFile).ids,
    firstUsers: [{ displayName: 'first administrator', publicKey }],
    passkeys: { rp_id: 'localhost', origins: [origin] },
  });
  writeFileSync(genesisFileIn(home), JSON.stringify(genesis.pin, null, 2) + '\n');
  const user = genesis.users[0]!;
  const admin = {
    user_id: user.userId,
    api_key: user.apiKey,
    private_key_file: privateKeyFile,
  };
  writeFileSync(join(home, 'admin.json'), JSON.stringify(admin, null, 2) + '\n', { mode: 0o600 });
  return admin;
}

/** A party makes its own keys in its own process; only their public half comes back. */
async function createPartyKeys(folder: string, party: PartyNumber): Promise<PartyPublicKeys> {
  const saved = join(folder, 'public.json');
  if (!existsSync(saved)) {
    const program = bundledProgram('signer', 'secrets/create-keys');
    // beside what it seals: for trying things out, and in tests
    const kek = ['--kek-file', join(folder, 'kek.key')];
    const { stdout } = await runFile(process.execPath, [program, folder, String(party), ...kek]);
    writeFileSync(saved, stdout, { mode: 0o600 });
  }
  return JSON.parse(readFileSync(saved, 'utf8')) as PartyPublicKeys;
}

/** 32 bytes. */
export function rawPublicKey(privateKey: KeyObject): Buffer {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}
