import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BodyMemory } from '../http/body-memory.js';
import { bodyReader, type ReadBody } from '../http/read-body.js';
import type { SourceOf } from './request-source.js';

/** How a request is read. */
export interface Intake {
  readonly readBody: ReadBody;
  /** The source under which it is counted. */
  readonly source: string;
  /** Called once the request has an id, whatever becomes of it. */
  readonly nameRequest: (requestId: string) => void;
}

/** Replaces the answer's id by the request's own, so that its caller finds it again. */
export function intakeOf(
  { bodies, sourceOf }: { readonly bodies: BodyMemory; readonly sourceOf: SourceOf },
  request: IncomingMessage,
  response: ServerResponse,
): Intake {
  const source = sourceOf(request);
  return {
    readBody: bodyReader({ bodies, source }, request, response),
    source,
    nameRequest: (requestId) => response.setHeader('x-request-id', requestId),
  };
}
