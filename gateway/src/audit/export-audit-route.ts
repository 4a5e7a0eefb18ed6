import { once } from 'node:events';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { exportAuditLogsQuery } from '@countersign/api/audit-query.js';
import { exportAuditLogsOperation } from '@countersign/api/operations/audit.js';
import { validate } from '@countersign/api/primitives.js';
import { parseQueryString } from '@countersign/api/query-string.js';
import { isRefusal, type Refusal } from '@countersign/core/errors.js';
import { exportAuditLogs } from './export-audit-logs.js';
import { admitRead } from '../authentication/authenticate-request.js';
import type { NonceStore } from '../authentication/nonce-store.js';
import { sendRefusal } from '../http/error-response.js';
import { parseRawTarget } from '../http/raw-target.js';
import { readBody } from '../http/read-body.js';
import type { Route } from '../http/route.js';
import {
  readContext,
  refuseRead,
  refuseReader,
  type ReadDeps,
} from '../reads/handle-read-operation.js';

export interface ExportAuditDeps extends ReadDeps {
  readonly nonces: NonceStore;
}

/** Streams the audit log: never more than a page of it is in memory. */
export function exportAuditRoute(deps: ExportAuditDeps): Route {
  const handle = async (request: Request, response: Response): Promise<void> => {
    const target = parseRawTarget(request.originalUrl);
    if (isRefusal(target)) return sendRefusal(response, target);
    const body = await readBody(request);
    if (isRefusal(body)) return sendRefusal(response, body);
    const { follower, nonces, now } = deps;
    const authentication = { state: () => follower.state, nonces, now };
    const caller = await admitRead(authentication, request, target, body);
    if (isRefusal(caller)) return sendRefusal(response, caller);
    const context = readContext(deps, caller);
    const query = refuseRead(context, exportAuditLogsOperation) ?? parseQuery(target.query);
    if (isRefusal(query)) {
      const exchange = { response, params: {} };
      return sendRefusal(
        response,
        await refuseReader(deps, exportAuditLogsOperation.id, exchange, caller, query),
      );
    }
    const { contentType, lines } = exportAuditLogs(context, query);
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' });
    for await (const line of lines) {
      if (response.destroyed) return;
      if (!response.write(line)) await once(response, 'drain');
    }
    response.end();
  };
  const { method, path } = exportAuditLogsOperation;
  return { method, path, handle };
}

function parseQuery(raw: string): z.output<typeof exportAuditLogsQuery> | Refusal {
  const values = parseQueryString(raw);
  return isRefusal(values) ? values : validate(exportAuditLogsQuery, values);
}
