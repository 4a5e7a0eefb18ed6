/**
 * Serves the page of the queues below `/queues/` to whoever has a session's cookie and may look now. Nothing there
 * changes anything.
 */
import type { Request, Response } from 'express';
import { QUEUES_PATH } from '@countersign/api/operations/system-operations.js';
import { isRefusal, refuse, type Refusal } from '@countersign/core/errors.js';
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { refuseUnlessReady } from '../admission/admission.js';
import { createBucketTable, sizeOf, type BucketTable } from '../admission/bucket-table.js';
import { sendRefusal } from '../http/error-response.js';
import { parseRawTarget, type RawTarget } from '../http/raw-target.js';
import { NO_ROUTE, type Route } from '../http/route.js';
import { sendJson } from '../http/send-json.js';
import { sendFile } from '../pages/send-file.js';
import { refuseLook, type LookDeps } from '../read/viewer.js';
import { BOARD_HEADERS } from './board-page.js';
import { openQueueSessionRoute, type QueueSessionDeps } from './open-queue-session.js';
import type { QueueBoard } from './queue-board.js';
import { createQueueSessions, type QueueSessions } from './queue-session.js';
import type { ViewedQueues } from './viewed-queues.js';
import { ApiError, refuseTooOften } from '../http/public-error.js';

export type QueuesDeps = QueueSessionDeps &
  LookDeps & {
    readonly viewedQueues: Pick<ViewedQueues, 'list'>;
    /** Keys that this vault has not withdrawn. */
    readonly trustedKeys: Pick<EvidenceKeys, 'seal' | 'open'>;
  };

/** Rate of looks for one person: each asks Redis some fifty times. */
const LOOKS = sizeOf(5, 10);

const NO_SESSION = refuse(
  'unauthorized',
  'the queues are opened from the page Operations of the console; what was opened there has ended, or was never opened',
);

export function queuesRoutes(deps: QueuesDeps): Route[] {
  const sessions = createQueueSessions(deps.trustedKeys, deps.now);
  const shown: Shown = {
    viewedQueues: deps.viewedQueues,
    looks: createBucketTable(LOOKS, deps.now),
    openBoard: createBoardOpener(),
  };
  const headers = Object.entries(BOARD_HEADERS);
  const serve: Route['handle'] = async (request, response) => {
    request.resume();
    for (const [name, value] of headers) response.setHeader(name, value);
    const visit = admitVisit(deps, sessions, request);
    if (isRefusal(visit)) sendRefusal(response, visit);
    else await answerVisit(shown, visit, response);
  };
  const toFolder: Route['handle'] = async (request, response) => {
    request.resume();
    response.writeHead(308, { location: QUEUES_PATH, 'content-length': 0 }).end();
  };
  const get = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, handle });
  return [
    openQueueSessionRoute(deps, sessions),
    get('/queues', toFolder),
    get(QUEUES_PATH, serve),
    get(`${QUEUES_PATH}*rest`, serve),
  ];
}

/** A request of a user who may look. */
interface Visit {
  readonly target: RawTarget;
  readonly userId: string;
}

/** Throws while the ledger cannot be asked: a user may have been frozen since. */
function admitVisit(deps: QueuesDeps, sessions: QueueSessions, request: Request): Visit | Refusal {
  const target = parseRawTarget(request.originalUrl);
  if (isRefusal(target)) return target;
  refuseUnlessReady(deps);
  const session = sessions.open(request.headers.cookie);
  if (session === undefined) return NO_SESSION;
  const { userId } = session;
  const attempt = { callerId: userId, source: deps.sourceOf(request), isBrake: false };
  const address = deps.addressOf(request);
  const refusal = refuseLook(deps, session, address) ?? deps.limits.refuseRead(attempt);
  return refusal ?? { target, userId };
}

interface Shown extends Pick<QueuesDeps, 'viewedQueues'> {
  readonly looks: BucketTable;
  readonly openBoard: () => Promise<QueueBoard>;
}

async function answerVisit(
  { viewedQueues, looks, openBoard }: Shown,
  { target, userId }: Visit,
  response: Response,
): Promise<void> {
  const board = await openBoard();
  const asked = { path: target.path.slice(QUEUES_PATH.length), query: target.query };
  const file = board.findFile(asked.path);
  if (file !== undefined) return sendFile(response, file);
  const bucket = looks.row(userId);
  if (!bucket.tryTake(1)) {
    return sendRefusal(
      response,
      refuseTooOften('too many looks at the queues', bucket.secondsUntil(1)),
    );
  }
  const answer = await board.read(asked, viewedQueues.list()).catch(unreadable);
  if (answer === undefined) sendRefusal(response, NO_ROUTE);
  else sendJson(response, answer.status, answer.body);
}

function unreadable(cause: unknown): never {
  if (cause instanceof URIError) throw cause; // the caller's mistake
  throw new ApiError('gateway_timeout', 'the queues cannot be read now', { cause, retryAfterS: 1 });
}

/** Loads the board when first used: that may never be, and it takes a tenth of a gateway's start. */
function createBoardOpener(): () => Promise<QueueBoard> {
  let opened: Promise<QueueBoard> | undefined;
  return () => {
    opened ??= import('./queue-board.js').then(({ createQueueBoard }) => createQueueBoard());
    return opened;
  };
}
