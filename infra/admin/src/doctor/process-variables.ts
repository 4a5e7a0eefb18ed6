/** What each process reads from its environment, and works with. */
import { gatewayVariables } from '@countersign/runtime/settings/gateway-config.js';
import { notifierVariables } from '@countersign/runtime/settings/notifier-config.js';
import { relayVariables } from '@countersign/runtime/settings/relay-config.js';
import { signerVariables } from '@countersign/runtime/settings/signer-config.js';
import { z } from 'zod';

export const PROCESS_NAMES = ['gateway', 'party', 'notifier', 'prices', 'migrate'] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

/** As the processes themselves have them. */
export const PROCESS_VARIABLES = {
  gateway: gatewayVariables.shape,
  party: signerVariables.shape,
  notifier: notifierVariables.shape,
  prices: relayVariables.shape,
  migrate: { DATABASE_URL: z.url() },
} satisfies Record<ProcessName, z.ZodRawShape>;

/** Sealed under the KEK, in the folder that `KEY_DIR` names. */
export const SEALED_KEYS = ['identity.sealed', 'exchange.sealed'];
/** Of each of them; the version is its first byte. */
export const SEALED_KEY = { bytes: 61, version: 1 } as const;
/** In the same folder while a rotation of the KEK is on its way: until it ends the party does not start. */
export const ROTATION_NAME = 'identity.sealed.next';
/** In the same folder, where `KEK_FILE` names no other place. */
export const KEK_NAME = 'kek.key';

/** Whose tables the process works with; `migrate` works as the database's owner. */
export function roleOf(process: ProcessName, party: string | undefined): string | undefined {
  if (process === 'party') return `countersign_party_${party ?? '?'}`;
  return process === 'gateway' || process === 'notifier' ? `countersign_${process}` : undefined;
}
