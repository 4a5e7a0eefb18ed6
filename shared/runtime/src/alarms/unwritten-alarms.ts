/** Keeps alarms that are not in the database yet in a file beside the pin, so that a restart does not forget them. */
import { readFile, rename, rm } from 'node:fs/promises';
import { z } from 'zod';
import {
  MAX_ALARM_EVIDENCE,
  MAX_ALARM_REASON,
  type Accuser,
  type AlarmStatement,
} from '@countersign/core/alarm-statement.js';
import { toBase64 } from '@countersign/core/bytes.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { replaceDurably } from '../process/replace-durably.js';

const statementSchema = z.strictObject({
  id: z.string().regex(UUID_PATTERN),
  kind: z.string().regex(/^[a-z_]{1,40}$/),
  party: z.literal([1, 2, 3]).nullable(),
  at: z.int().min(0),
  // as whoever raises an alarm takes it: one that is stricter would lose the whole file
  request_id: z.string().regex(UUID_PATTERN).nullable(),
  reason: z.string().max(MAX_ALARM_REASON),
  count: z
    .int()
    .min(1)
    .max(2 ** 31 - 1),
  evidence: z
    .base64()
    .max(Math.ceil(MAX_ALARM_EVIDENCE / 3) * 4)
    .nullable(),
  evidence_bytes: z.int().min(0),
});

const fileSchema = z.array(statementSchema);

export interface UnwrittenAlarms {
  /** Empty if there is no file. A file that cannot be read is renamed, and the method throws. */
  read(): Promise<AlarmStatement[]>;
  /** Resolves once these, and no others, would survive a loss of power. */
  keep(statements: readonly AlarmStatement[]): Promise<void>;
}

/** One process alone owns the file. */
export function openUnwrittenAlarms(path: string, accuser: Accuser): UnwrittenAlarms {
  let isThere = true;

  async function current(): Promise<string | undefined> {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  return {
    async read() {
      const text = await current();
      if (text === undefined) return [];
      try {
        return fileSchema.parse(JSON.parse(text)).map((kept) => fromFile(kept, accuser));
      } catch (cause) {
        await rename(path, `${path}.unreadable`);
        throw new Error(`${path}: holds no alarms`, { cause });
      }
    },
    async keep(statements) {
      if (statements.length > 0) {
        isThere = true;
        await replaceDurably(path, `${JSON.stringify(statements.map(toFile))}\n`);
      } else if (isThere) {
        await rm(path, { force: true });
        isThere = false;
      }
    },
  };
}

function toFile(statement: AlarmStatement): z.input<typeof statementSchema> {
  const { id, kind, party, at, requestId, reason, count, evidence, evidenceBytes } = statement;
  return {
    id,
    kind,
    party,
    at,
    request_id: requestId,
    reason,
    count,
    evidence: evidence === null ? null : toBase64(evidence),
    evidence_bytes: evidenceBytes,
  };
}

function fromFile(kept: z.output<typeof statementSchema>, accuser: Accuser): AlarmStatement {
  const { id, kind, party, at, reason, count, evidence } = kept;
  return {
    id,
    accuser,
    kind,
    party,
    at,
    requestId: kept.request_id,
    reason,
    count,
    evidence: evidence === null ? null : Buffer.from(evidence, 'base64'),
    evidenceBytes: kept.evidence_bytes,
  };
}
