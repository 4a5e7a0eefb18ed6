import { once } from 'node:events';
import type { Request, Response } from 'express';
import { exportAuditLogsQuery } from '@countersign/api/audit-query.js';
import { exportAuditLogsOperation } from '@countersign/api/operations/audit.js';
import { parseQuery } from '@countersign/api/query-string.js';
import { isRefusal } from '@countersign/core/errors.js';
import { exportAuditLogs, type AuditExport } from './export-audit-logs.js';
import { createSnapshots } from './export-snapshot.js';
import { admitReader, type AdmissionDeps } from '../admission/admission.js';
import { sendRefusal } from '../http/error-response.js';
import { sendEarlyRefusal } from '../http/early-refusal.js';
import type { Route } from '../http/route.js';
import {
  readContext,
  refuseRead,
  refuseReader,
  type ReadDeps,
} from '../read/handle-read-operation.js';

const STALLED_AFTER_MS = 60_000;

/** Streams the audit log: never more than a page of it is in memory. */
export function exportAuditRoute(deps: AdmissionDeps & ReadDeps): Route {
  const openSnapshot = createSnapshots(deps.pool);
  const handle = async (request: Request, response: Response): Promise<void> => {
    const exchange = await admitReader(deps, exportAuditLogsOperation, request, response);
    if (isRefusal(exchange)) return sendEarlyRefusal(response, exchange);
    const { caller, target } = exchange;
    const context = readContext(deps, caller, exchange);
    const query =
      refuseRead(context, exportAuditLogsOperation) ??
      parseQuery(exportAuditLogsQuery, target.query);
    if (isRefusal(query)) {
      return sendRefusal(
        response,
        await refuseReader(deps, exportAuditLogsOperation.id, exchange, caller, query),
      );
    }
    const exported = await exportAuditLogs(context.journal, openSnapshot, query);
    try {
      await sendLines(response, exported);
    } finally {
      await exported.lines.return(undefined);
    }
  };
  const { method, path } = exportAuditLogsOperation;
  return { method, path, handle };
}

async function sendLines(response: Response, { contentType, lines }: AuditExport): Promise<void> {
  let next = await lines.next(); // a store that cannot be reached is an error and not a 200
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' });
  for (; next.done !== true; next = await lines.next()) {
    if (response.destroyed) return;
    if (response.write(next.value)) continue;
    await drained(response);
  }
  response.end();
}

/** A reader who takes nothing for long holds up others: the stream breaks off, which its reader sees as an error. */
async function drained(response: Response): Promise<void> {
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), STALLED_AFTER_MS);
  const { signal } = waiting;
  await Promise.race([
    once(response, 'drain', { signal }),
    once(response, 'close', { signal }),
  ]).catch(() => response.destroy());
  clearTimeout(timer);
  waiting.abort();
}
