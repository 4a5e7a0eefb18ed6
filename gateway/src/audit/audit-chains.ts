/**
 * Gives a follower the audit log as its chains, each in its own order. A chain is given without gaps. So no reader
 * misses a record because of commit order or of other chains.
 */
import {
  listAuditChainsOperation,
  readAuditChainOperation,
} from '@countersign/api/operations/audit.js';
import { DEFAULT_PAGE_LIMIT } from '@countersign/api/primitives.js';
import { AUDIT_CHAIN_NAME, type AuditChainView } from '@countersign/api/service-schema.js';
import { isRefusal } from '@countersign/core/errors.js';
import { LEDGER_CHAIN, ledgerEntryView } from '@countersign/vault/audit/ledger-entry-view.js';
import { noSuchResource } from '@countersign/vault/operations/lookups.js';
import type { Journal } from '../govern/journal.js';
import { cursorScope } from '../read/page.js';
import { readOperation } from '../read/read-operation.js';
import type { Store } from '../stores/ask-store.js';
import type { AuditEntry } from './audit-row.js';
import { listRecordChains, readRecordChain, type RecordWriter } from './record-audit.js';

const WRITERS = ['gateway', 'party_1', 'party_2', 'party_3'] as const satisfies RecordWriter[];

export const listAuditChains = readOperation({
  ...listAuditChainsOperation,
  async handle({ journal, pool, cursors, caller }, { query }) {
    const { cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    const scope = cursorScope('audit-chains', query, caller.id);
    const after = cursor === undefined ? '' : cursors.open(scope, cursor);
    if (isRefusal(after)) return after;
    const chains = await findChains(journal, pool, after, limit + 1);
    const results = chains.slice(0, limit);
    return {
      results,
      next_cursor: chains.length > limit ? cursors.seal(scope, results.at(-1)!.name) : null,
    };
  },
});

export const readAuditChain = readOperation({
  ...readAuditChainOperation,
  async handle({ journal, pool }, { params, query: { after = 0, limit = DEFAULT_PAGE_LIMIT } }) {
    const name = params['chain'] ?? '';
    if (!AUDIT_CHAIN_NAME.test(name)) return noSuchResource(undefined);
    const entries =
      name === LEDGER_CHAIN
        ? journal.entries.slice(after, after + limit).map(ledgerEntryView)
        : (await readRecordChain(pool, splitName(name), after, limit)).map(({ entry }) => entry);
    return { results: withoutGap(entries, after) };
  },
});

/** Up to `limit` chains after the one of this name; '' for the first. */
async function findChains(
  journal: Pick<Journal, 'entries'>,
  store: Store,
  after: string,
  limit: number,
): Promise<AuditChainView[]> {
  const { writer: lastWriter, chain: lastChain } = splitName(after);
  const chains: AuditChainView[] = [];
  if (after === '') chains.push({ name: LEDGER_CHAIN, seq: journal.entries.at(-1)?.seq ?? 0 });
  for (const writer of WRITERS) {
    if (chains.length >= limit) break;
    if (writer < lastWriter) continue;
    const from = writer === lastWriter ? lastChain : '';
    const some = await listRecordChains(store, writer, from, limit - chains.length);
    chains.push(...some.map(({ chain, seq }) => ({ name: `${writer}:${chain}`, seq })));
  }
  return chains;
}

/** `ledger` has no writer, and sorts before all others. */
function splitName(name: string): { readonly writer: RecordWriter; readonly chain: string } {
  const at = name.indexOf(':');
  return { writer: name.slice(0, Math.max(at, 0)) as RecordWriter, chain: name.slice(at + 1) };
}

/** The entries after `after`, up to the first gap. */
export function withoutGap(entries: readonly AuditEntry[], after: number): AuditEntry[] {
  const gap = entries.findIndex(({ seq }, index) => seq !== after + index + 1);
  return gap === -1 ? [...entries] : entries.slice(0, gap);
}
