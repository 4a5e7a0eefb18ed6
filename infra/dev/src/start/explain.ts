import { join, relative } from 'node:path';
import type { PreparedVault } from '../stack/prepare-vault.js';
import type { Proof } from './prove.js';

/** For scripts on this machine: where the vault is and how to be its administrator. Mode 0600. */
export const DEV_FILE = 'dev.json';
/** The administrator's API key by itself. Mode 0600. */
export const API_KEY_FILE = 'admin.api-key';

/** What a new user reads after the proof. It names the files with credentials, and holds none itself. */
export function explain(
  proof: Proof,
  baseUrl: string,
  { home }: Pick<PreparedVault, 'home'>,
  elapsedMs: number,
  once: boolean,
): string {
  const pathOf = (file: string) => relative(process.cwd(), join(home, file));
  const lines = [
    '',
    `A wallet that no one holds signed a message (parties ${proof.parties.join(' and ')} of three):`,
    `  address    ${proof.address}`,
    `  message    ${proof.messageBase64}`,
    `  signature  ${proof.signatureBase64}`,
    '  verified   by OpenSSL (node:crypto) and by @noble/ed25519, which had no part in making it',
    '',
    `Ready after ${(elapsedMs / 1000).toFixed(1)} s.`,
  ];
  if (once) return lines.join('\n');
  return [
    ...lines,
    '',
    `  API            ${baseUrl}`,
    `  API reference  ${baseUrl}/docs`,
    `  health         curl -s ${baseUrl}/health`,
    `  credentials    ${pathOf(DEV_FILE)}`,
    `  prices         ${pathOf(join('prices', 'simulated-prices.json'))} (made up; docs/reference/prices.md)`,
    '',
    "Read the vaults with the administrator's API key:",
    `  curl -s -H "authorization: ApiKey $(cat '${pathOf(API_KEY_FILE)}')" ${baseUrl}/v1/vaults`,
    '',
    'Ctrl-C stops everything; a second one does not wait for what is under way. docs/start/ shows what to do first.',
  ].join('\n');
}
