import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { z } from 'zod';

export const ROLE_NAMES = ['gateway', 'party_1', 'party_2', 'party_3', 'auditor'] as const;
export type RoleName = (typeof ROLE_NAMES)[number];

const passwordsSchema = z.record(z.enum(ROLE_NAMES), z.string());

/**
 * Gives every role a login and returns its connection URL. Passwords are made once and kept in
 * `passwordFile` (mode 0600): for the embedded default and tests; in production they are the
 * operator's.
 */
export async function openRoleLogins(
  ownerUrl: string,
  passwordFile: string,
): Promise<Record<RoleName, string>> {
  const passwords = readPasswords(passwordFile) ?? createPasswords(passwordFile);
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    for (const role of ROLE_NAMES) {
      const password = client.escapeLiteral(passwords[role]);
      await client.query(`ALTER ROLE countersign_${role} LOGIN PASSWORD ${password}`);
    }
  } finally {
    await client.end();
  }
  const urls = ROLE_NAMES.map((role) => [role, roleUrl(ownerUrl, role, passwords[role])]);
  return Object.fromEntries(urls) as Record<RoleName, string>;
}

function readPasswords(path: string): Record<RoleName, string> | undefined {
  return existsSync(path)
    ? passwordsSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
    : undefined;
}

function createPasswords(path: string): Record<RoleName, string> {
  const made = Object.fromEntries(
    ROLE_NAMES.map((role) => [role, randomBytes(24).toString('base64url')]),
  ) as Record<RoleName, string>;
  writeFileSync(path, JSON.stringify(made, null, 2) + '\n', { mode: 0o600, flag: 'wx' });
  return made;
}

function roleUrl(ownerUrl: string, role: RoleName, password: string): string {
  const url = new URL(ownerUrl);
  url.username = `countersign_${role}`;
  url.password = password;
  return url.toString();
}
