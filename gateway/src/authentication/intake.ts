import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyMemory } from '../http/body-memory.js';
import { bodyReader, type ReadBody } from '../http/read-body.js';

/** How a request is taken in. */
export interface Intake {
  readonly readBody: ReadBody;
  /** Called once the request has an id, whatever becomes of it. */
  readonly nameRequest: (requestId: string) => void;
}

/** A request's own id takes the place of the answer's, so that its caller finds it again. */
export function intakeOf(
  { bodies }: { readonly bodies: BodyMemory },
  request: IncomingMessage,
  response: ServerResponse,
): Intake {
  return {
    readBody: bodyReader(bodies, request, response),
    nameRequest: (requestId) => response.setHeader('x-request-id', requestId),
  };
}
