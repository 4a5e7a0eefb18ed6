import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { z } from 'zod';

export const ROLE_NAMES = [
  'gateway',
  'party_1',
  'party_2',
  'party_3',
  'auditor',
  'notifier',
] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

/**
 * Together fewer connections than the 200 that the server is given, so that no role can take those of
 * another; a gateway opens up to 11, a replica of a party 7. The time-outs are what a session starts
 * with: a role may change them for itself, so nothing rests on them. Whoever keeps others from appending
 * is stopped by the turns of `0001-ledger.ts`.
 */
const SERVICE_TIMEOUTS = {
  statement_timeout: '10s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '5s',
  transaction_timeout: '30s',
};
const LIMITS: Record<RoleName, { connections: number; settings: Record<string, string> }> = {
  gateway: { connections: 64, settings: SERVICE_TIMEOUTS },
  party_1: { connections: 36, settings: SERVICE_TIMEOUTS },
  party_2: { connections: 36, settings: SERVICE_TIMEOUTS },
  party_3: { connections: 36, settings: SERVICE_TIMEOUTS },
  notifier: { connections: 16, settings: SERVICE_TIMEOUTS },
  auditor: {
    connections: 8,
    // it may read everything once
    settings: {
      statement_timeout: '10min',
      lock_timeout: '5s',
      idle_in_transaction_session_timeout: '1min',
      transaction_timeout: '30min',
    },
  },
};

const passwordsSchema = z.partialRecord(z.enum(ROLE_NAMES), z.string());

/**
 * Gives every role a login with its limits and returns its connection URL. Passwords are made once and kept in
 * `passwordFile` (mode 0600): for the embedded default and tests; in production they are the
 * operator's.
 */
export async function openRoleLogins(
  ownerUrl: string,
  passwordFile: string,
): Promise<Record<RoleName, string>> {
  const passwords = openPasswords(passwordFile);
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    // in one message, and so in one transaction: each by itself would wait for the disk
    await client.query(ROLE_NAMES.flatMap((role) => loginOf(role, passwords[role])).join(';'));
  } finally {
    await client.end();
  }
  const urls = ROLE_NAMES.map((role) => [role, roleUrl(ownerUrl, role, passwords[role])]);
  return Object.fromEntries(urls) as Record<RoleName, string>;
}

/** The statements that give it. */
function loginOf(role: RoleName, password: string): string[] {
  const { connections, settings } = LIMITS[role];
  const name = `countersign_${role}`;
  const secret = pg.escapeLiteral(password);
  return [
    `ALTER ROLE ${name} LOGIN CONNECTION LIMIT ${connections} PASSWORD ${secret}`,
    ...Object.entries(settings).map(
      ([setting, value]) => `ALTER ROLE ${name} SET ${setting} = '${value}'`,
    ),
  ];
}

/** A role that came with a later release gets its password when it is first missed. */
function openPasswords(path: string): Record<RoleName, string> {
  const known = existsSync(path)
    ? passwordsSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
    : undefined;
  const passwords = Object.fromEntries(
    ROLE_NAMES.map((role) => [role, known?.[role] ?? randomBytes(24).toString('base64url')]),
  ) as Record<RoleName, string>;
  if (ROLE_NAMES.some((role) => known?.[role] === undefined)) {
    // two starters of a fresh home must not both make them
    const flag = known === undefined ? 'wx' : 'w';
    writeFileSync(path, JSON.stringify(passwords, null, 2) + '\n', { mode: 0o600, flag });
  }
  return passwords;
}

function roleUrl(ownerUrl: string, role: RoleName, password: string): string {
  const url = new URL(ownerUrl);
  url.username = `countersign_${role}`;
  url.password = password;
  return url.toString();
}
