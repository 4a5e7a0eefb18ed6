import type { RequestTarget } from '@countersign/api/requests/api-request.js';
import { refuse } from '@countersign/core/errors.js';
import type { Request, Response } from 'express';

/** A row of the routing table: method, path template and handler. */
export interface Route extends RequestTarget {
  /** Id of the operation if it gives signatures. */
  readonly signs?: string;
  /** Sends the answer itself; what it throws is answered as an error. */
  handle(request: Request, response: Response): Promise<void>;
}

export const NO_ROUTE = refuse('not_found', 'no such route');
