import { trustedGenesis } from '@countersign/runtime/ledger/trusted-genesis.js';
import { z } from 'zod';

/** The variables of the party's primary replica, explained in docs/reference/environment.md. */
export const backupVariables = z.object({
  PARTY: z.enum(['1', '2', '3']).transform((text) => Number(text) as 1 | 2 | 3),
  /** As the role of the party. */
  DATABASE_URL: z.url(),
  KEY_DIR: z.string().min(1),
  KEK_FILE: z.string().min(1).optional(),
  EVIDENCE_KEY_FILE: z.string().min(1),
  PIN_FILE: z.string().min(1),
  ...trustedGenesis,
});
