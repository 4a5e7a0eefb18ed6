/** Everything a vault needs before its processes start, made once and kept in the home folder. */
import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEvidenceKeyFile, readEvidenceKeys } from '@countersign/core/evidence-key.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import { z } from 'zod';
import { migrate } from '@countersign/admin/database/migrate.js';
import { openRoleLogins, type RoleName } from '@countersign/admin/database/role-logins.js';
import type { CreatedGenesis, PartyPublicKeys } from '@countersign/admin/genesis/create-genesis.js';
import type { GenesisPin } from '@countersign/admin/genesis/genesis-pin.js';
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
 * Keys and genesis of a vault whose database is prepared. Safe to run again, also where it was killed: what is whole is
 * kept, also the origin from which its people sign.
 */
export async function prepareVault(
  home: string,
  roleUrls: Readonly<Record<RoleName, string>>,
  origin = DEVELOPMENT_ORIGIN,
): Promise<PreparedVault> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const evidenceKeyFile = join(home, 'evidence.key');
  if (!existsSync(evidenceKeyFile)) makeWhole(evidenceKeyFile, createEvidenceKeyFile);
  const webhookKeyFile = join(home, 'webhook.key');
  const webhookKeysFile = join(home, 'webhook-keys.json');
  if (!existsSync(webhookKeysFile)) {
    rmSync(webhookKeyFile, { force: true });
    makeWhole(webhookKeysFile, (file) => createWebhookKey(webhookKeyFile, file));
  }
  const keyDir = (party: PartyNumber) => join(home, `party-${party}`);
  const admin =
    (await readAdmin(home, roleUrls.gateway)) ??
    (await createAdmin(home, roleUrls.gateway, evidenceKeyFile, {
      keyDirs: PARTY_NUMBERS.map(keyDir),
      origin,
    }));
  const pinFile = (name: string) => join(home, 'pins', `${name}.json`);
  const genesisFile = genesisFileIn(home);
  const keyFiles = { evidenceKeyFile, webhookKeyFile, webhookKeysFile };
  return { home, roleUrls, ...keyFiles, admin, genesisFile, pinFile, keyDir };
}

/** What takes its name has all that `make` writes. */
function makeWhole(path: string, make: (path: string) => void): void {
  rmSync(`${path}.new`, { force: true });
  make(`${path}.new`);
  renameSync(`${path}.new`, path);
}

function genesisFileIn(home: string): string {
  return join(home, 'genesis.json');
}

/** Its genesis has been sent, and may be in force. */
function begunFileIn(home: string): string {
  return join(home, 'genesis.json.begun');
}

/**
 * Undefined where the vault has none, and one is to be made. A start that was killed after its genesis came into force
 * is brought to its end.
 */
async function readAdmin(home: string, databaseUrl: string): Promise<AdminCredential | undefined> {
  const path = join(home, 'admin.json');
  const [genesisFile, begunFile] = [genesisFileIn(home), begunFileIn(home)];
  if (!existsSync(path) || !existsSync(genesisFile)) {
    const { findGenesisPin } = await import('@countersign/admin/genesis/read-genesis.js');
    const inForce = await findGenesisPin(databaseUrl);
    if (inForce === undefined) return undefined;
    if (!existsSync(begunFile) || readPin(begunFile).genesis_hash !== inForce.genesis_hash) {
      throw new Error(
        `the ledger has its genesis, and ${home} is not of that vault: empty the database, or name another folder in COUNTERSIGN_HOME`,
      );
    }
    renameSync(begunFile, genesisFile);
  }
  return adminSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

function readPin(path: string): Pick<GenesisPin, 'genesis_hash'> {
  return JSON.parse(readFileSync(path, 'utf8')) as GenesisPin;
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
  const start = {
    parties,
    evidenceKeyIds: readEvidenceKeys(evidenceKeyFile).ids,
    firstUsers: [{ displayName: 'first administrator', publicKey }],
    passkeys: { rp_id: 'localhost', origins: [origin] },
  };
  const adminOf = ({ users: [user] }: CreatedGenesis): AdminCredential => ({
    user_id: user!.userId,
    api_key: user!.apiKey,
    private_key_file: privateKeyFile,
  });
  const made = await createGenesis(databaseUrl, start, async (begun) => {
    await writeJson(join(home, 'admin.json'), adminOf(begun));
    await writeJson(begunFileIn(home), begun.pin);
  });
  renameSync(begunFileIn(home), genesisFileIn(home));
  return adminOf(made);
}

function writeJson(path: string, value: unknown): Promise<void> {
  return replaceDurably(path, JSON.stringify(value, null, 2) + '\n');
}

/** A party makes its own keys in its own process; only their public half comes back. */
async function createPartyKeys(folder: string, party: PartyNumber): Promise<PartyPublicKeys> {
  const saved = join(folder, 'public.json');
  if (!existsSync(saved)) {
    // of a start that was killed: no genesis names what is in it
    rmSync(folder, { recursive: true, force: true });
    const program = bundledProgram('signer', 'secrets/create-keys');
    // beside what it seals: for trying things out, and in tests
    const kek = ['--kek-file', join(folder, 'kek.key')];
    const { stdout } = await runFile(process.execPath, [program, folder, String(party), ...kek]);
    await replaceDurably(saved, stdout);
  }
  return JSON.parse(readFileSync(saved, 'utf8')) as PartyPublicKeys;
}

/** 32 bytes. */
export function rawPublicKey(privateKey: KeyObject): Buffer {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}
