import { join, relative } from 'node:path';
import type { PreparedVault } from '../stack/prepare-vault.js';
import type { Proof } from './prove.js';

/** For scripts on this machine: where the vault is and how to be its administrator. Mode 0600. */
export const DEV_FILE = 'dev.json';
/** The administrator's API key by itself. Mode 0600. */
export const API_KEY_FILE = 'admin.api-key';
/** The link by which the first person enrols, until the start after it was used. Mode 0600: whoever has it enrols. */
export const CONSOLE_LINK_FILE = 'console-link';

export const EXPLAIN_END =
  '\nCtrl-C stops everything; a second one does not wait for what is under way. docs/start/ shows what to do first.';

/** How the vault proved itself. */
export function explainProof(proof: Proof, elapsedMs: number): string {
  return [
    '',
    `A wallet that no one holds signed a message (parties ${proof.parties.join(' and ')} of three):`,
    `  address    ${proof.address}`,
    `  message    ${proof.messageBase64}`,
    `  signature  ${proof.signatureBase64}`,
    '  verified   by OpenSSL (node:crypto) and by @noble/ed25519, which had no part in making it',
    '',
    `Ready after ${(elapsedMs / 1000).toFixed(1)} s.`,
  ].join('\n');
}

/** What a new user reads after the proof. It names the files with credentials, and holds none itself. */
export function explainUse(baseUrl: string, { home }: Pick<PreparedVault, 'home'>): string {
  const pathOf = (file: string) => relative(process.cwd(), join(home, file));
  return [
    '',
    `  API            ${baseUrl}`,
    `  API reference  ${baseUrl}/docs`,
    `  health         curl -s ${baseUrl}/health`,
    `  credentials    ${pathOf(DEV_FILE)}`,
    `  prices         ${pathOf(join('prices', 'simulated-prices.json'))} (made up; docs/reference/prices.md)`,
    '',
    "Read the vaults with the administrator's API key:",
    `  curl -s -H "authorization: ApiKey $(cat '${pathOf(API_KEY_FILE)}')" ${baseUrl}/v1/vaults`,
  ].join('\n');
}

export interface ConsoleDoor {
  /** Where people use this vault. */
  readonly address: string;
  /** To enrol by: none once somebody has. */
  readonly link?: string;
  /** Whether the link was made just now. */
  readonly isNew: boolean;
}

/**
 * The way to the console. The link is a credential until it is used: a terminal is shown it once, and what is written
 * to a file or a journal never has it.
 */
export function explainConsole(
  door: ConsoleDoor,
  { home }: Pick<PreparedVault, 'home'>,
  isTerminal: boolean,
): string {
  const { address, link, isNew } = door;
  if (link === undefined) return `\nThe console, for people: ${address}`;
  const file = relative(process.cwd(), join(home, CONSOLE_LINK_FILE));
  const isShown = isTerminal && isNew;
  return [
    '',
    `The console, for people: ${address}`,
    'Its first person is you. Open this link, sign in under any name, and make a passkey:',
    isShown ? `  ${link}` : `  it is in ${file}, which you alone can read`,
    `It works once, within 72 hours.${isShown ? ` It is also in ${file}, and is not shown again.` : ''}`,
  ].join('\n');
}
