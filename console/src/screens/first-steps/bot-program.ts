/** What a bot's author copies: how to make its key, and a program that signs its first message. */

/** Prints the public key, hex: 32 bytes at the end of the DER form (RFC 8410). */
export const KEY_COMMANDS = `openssl genpkey -algorithm ed25519 -out bot.pem
openssl pkey -in bot.pem -pubout -outform DER | tail -c 32 | od -An -v -tx1 | tr -d ' \\n'`;

interface BotProgramFacts {
  readonly baseUrl: string;
  readonly vaultId: string;
  readonly address: string;
}

/** ASCII whatever a wallet is called: nothing in it but addresses and ids. */
export function botProgram({ baseUrl, vaultId, address }: BotProgramFacts): string {
  return `import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createCountersignClient } from '@countersign/client/countersign-client.js';
const apiKey = readFileSync('bot.api-key', 'utf8').trim();
const privateKey = createPrivateKey(readFileSync('bot.pem'));
const vault = createCountersignClient({ baseUrl: ${quoted(baseUrl)}, apiKey, privateKey });
const params = { vault_id: ${quoted(vaultId)}, address: ${quoted(address)} };
const message = Buffer.from('hello').toString('base64');
console.log(await vault.call('raw-sign', { params, body: { message } }));
vault.close();`;
}

/** 32 bytes, hex of either case: what the commands above print. */
export function isPublicKey(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text.trim());
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[^\w:/.[\]-]/g, '')}'`;
}
