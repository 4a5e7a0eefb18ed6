import { listAuditLogsOperation } from '@countersign/api/operations/audit.js';
import { DEFAULT_PAGE_LIMIT } from '@countersign/api/primitives.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import { firstPosition, readAuditPage } from './audit-page.js';
import { decodePosition, encodePosition, type AuditPosition } from './audit-position.js';
import { createFindAuditRecords } from './record-audit.js';
import { cursorScope } from '../read/page.js';
import { readOperation, type ReadContext } from '../read/read-operation.js';

export const listAuditLogs = readOperation({
  ...listAuditLogsOperation,
  async handle(context, { query }) {
    const { cursor, limit = DEFAULT_PAGE_LIMIT, ...filter } = query;
    const { journal, pool, cursors, caller } = context;
    const scope = cursorScope('audit-logs', query, caller.id);
    const position = positionOf(context, scope, cursor);
    if (isRefusal(position)) return position;
    const sources = { journal, findRecords: createFindAuditRecords(pool) };
    const { rows, next } = await readAuditPage(sources, filter, position, limit);
    return {
      results: rows.map(({ entry }) => entry),
      next_cursor:
        next === undefined ? null : cursors.seal(scope, encodePosition(next.ledgerSeq, next.after)),
    };
  },
});

function positionOf(
  { journal, cursors }: ReadContext,
  scope: string,
  cursor: string | undefined,
): AuditPosition | Refusal {
  const start = firstPosition(journal);
  if (cursor === undefined) return start;
  const text = cursors.open(scope, cursor);
  if (isRefusal(text)) return text;
  const position = decodePosition(text);
  // another gateway that has read further made this cursor: going on would omit entries
  return position.ledgerSeq > start.ledgerSeq
    ? refuse('gateway_timeout', 'this gateway has not yet read that far in the ledger: ask again')
    : position;
}
