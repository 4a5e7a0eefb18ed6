/** Hands the audit log on to a SIEM, as it grows, and remembers how far it came. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { AUDIT_LINES } from '@countersign/api/audit-lines/audit-lines.js';
import type { AuditFormat } from '@countersign/api/audit-query.js';
import {
  AUDIT_CHAIN_NAME,
  auditChainEntries,
  auditChainList,
  type AuditChainView,
} from '@countersign/api/service-schema.js';
import { replaceDurably } from '@countersign/runtime/process/replace-durably.js';
import type * as s from '@countersign/core/shapes.js';
import { z } from 'zod';
import {
  ChangedLogError,
  followOnce,
  type AuditPositions,
  type FollowDeps,
} from './follow-audit.js';
import { openLineSink, type LineSink } from './line-sink.js';

const PAGE = 100;
const LOOK_EVERY_MS = 1_000;
const RETRY_AFTER_MS = 5_000;
const ASK_TIMEOUT_MS = 30_000;

const positionsSchema = z.record(
  z.string(),
  z.object({ seq: z.int().min(0), hash: z.string().optional() }),
);

export interface FollowOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly positionFile: string;
  readonly format: AuditFormat;
  readonly target: string;
  readonly start: AuditPositions;
  readonly isOnce: boolean;
}

/** Undefined for anything but CHAIN:SEQ. */
export function parsePositions(texts: readonly string[]): AuditPositions | undefined {
  const positions = texts.map((text) => {
    const at = text.lastIndexOf(':');
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const isGood = positions.every(
    ([name, seq]) => AUDIT_CHAIN_NAME.test(name) && /^\d{1,15}$/.test(seq),
  );
  if (!isGood) return undefined;
  return Object.fromEntries(positions.map(([name, seq]) => [name, { seq: Number(seq) }]));
}

/** Ends with `isOnce`, or with ChangedLogError; whatever else goes wrong is said and tried again. */
export async function runFollow(
  options: FollowOptions,
  note: (text: string) => void,
): Promise<void> {
  let positions: AuditPositions = { ...options.start, ...readPositions(options.positionFile) };
  for (;;) {
    let sink: LineSink | undefined;
    try {
      const { header } = AUDIT_LINES[options.format];
      sink = await openLineSink(options.target, header);
      const deps = followDeps(options, sink, (saved) => (positions = saved));
      do {
        await followOnce(deps, positions);
        if (!options.isOnce) await setTimeout(LOOK_EVERY_MS);
      } while (!options.isOnce);
      return;
    } catch (error) {
      if (options.isOnce || error instanceof ChangedLogError) throw error;
      note(`${String(error)}; going on in ${RETRY_AFTER_MS / 1_000} s`);
      await setTimeout(RETRY_AFTER_MS);
    } finally {
      await sink?.close();
    }
  }
}

function followDeps(
  { url, apiKey, positionFile, format }: FollowOptions,
  sink: LineSink,
  keep: (positions: AuditPositions) => void,
): FollowDeps {
  const ask = async <Answer extends s.AnyShape>(target: string, schema: Answer) => {
    const response = await fetch(new URL(target, url), {
      headers: { authorization: `ApiKey ${apiKey}` },
      redirect: 'error',
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    if (response.status !== 200) throw new Error(`the gateway answers ${response.status}`);
    return schema.parse(await response.json()) as s.OutputOf<Answer>;
  };
  return {
    async listChains() {
      const chains: AuditChainView[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const page: s.OutputOf<typeof auditChainList> = await ask(
          `/v1/audit-logs/chains?limit=${PAGE}${query}`,
          auditChainList,
        );
        chains.push(...page.results);
        cursor = page.next_cursor;
      }
      return chains;
    },
    readChain: async (name, after) =>
      (await ask(`/v1/audit-logs/chains/${name}?after=${after}&limit=${PAGE}`, auditChainEntries))
        .results,
    handOver: (entries) => sink.write(entries.map(AUDIT_LINES[format].line).join('')),
    async save(positions) {
      await replaceDurably(positionFile, `${JSON.stringify(positions, null, 2)}\n`);
      keep(positions);
    },
  };
}

function readPositions(file: string): AuditPositions {
  return existsSync(file) ? positionsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}
