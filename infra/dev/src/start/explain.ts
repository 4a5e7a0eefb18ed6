import { relative } from 'node:path';
import type { PreparedVault } from '../stack/prepare-vault.js';
import type { Proof } from './prove.js';

/** What a new user reads after the proof. */
export function explain(
  proof: Proof,
  baseUrl: string,
  vault: PreparedVault,
  elapsedMs: number,
  once: boolean,
): string {
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
    `  credentials    ${relative(process.cwd(), vault.home) || '.'}/dev.json`,
    '',
    "Read the vaults with the administrator's API key:",
    `  curl -s -H 'authorization: ApiKey ${vault.admin.api_key}' ${baseUrl}/v1/vaults`,
    '',
    'Ctrl-C stops everything. README.md shows how to sign a request yourself.',
  ].join('\n');
}
