/** `countersign trace`: its arguments, and what it ends with. */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { describeTrace, traceRequest } from './trace-request.js';

export interface TraceOptions {
  readonly requestId: string;
  readonly files: readonly string[];
  readonly json: boolean;
}

/** Undefined for wrong usage. */
export function parseTraceOptions(args: readonly string[]): TraceOptions | undefined {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    const [requestId, ...files] = positionals;
    const { data } = z.uuid().safeParse(requestId?.toLowerCase());
    return data === undefined || files.length === 0
      ? undefined
      : { requestId: data, files, json: values.json };
  } catch {
    return undefined;
  }
}

/** Exit code: 0 where some line names the request, 1 where none does. Rejects where a file cannot be read. */
export async function runTrace(
  { requestId, files, json }: TraceOptions,
  write: (text: string) => void,
): Promise<0 | 1> {
  const trace = await traceRequest(requestId, files);
  write(`${json ? JSON.stringify(trace, null, 2) : describeTrace(trace)}\n`);
  return trace.lines.length > 0 ? 0 : 1;
}
