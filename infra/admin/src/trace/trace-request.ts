/** What log files say of one request: lines of gateways and parties, as they wrote them or as journald kept them. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** A line that names the request, as its process wrote it. */
export interface TracedLine {
  /** As ISO 8601 says it. */
  readonly time: string;
  /** `gateway`, `party_1` and so on. */
  readonly process: string;
  /** Where journald says so. */
  readonly host?: string;
  readonly file: string;
  readonly level: string;
  readonly event: string;
  /** All else that the line says. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Trace {
  readonly request_id: string;
  /** In order of time, by the clocks of the hosts that wrote them. */
  readonly lines: readonly TracedLine[];
  /** Lines that are no JSON, or name the request and are not of this vault's processes. */
  readonly malformed_lines: number;
}

const logLine = z.looseObject({
  time: z.iso.datetime({ offset: true }),
  level: z.string(),
  name: z.string(),
  event: z.string(),
});

/** As `journalctl -o json` prints it; `MESSAGE` is what the process wrote. */
const journalLine = z.looseObject({ MESSAGE: z.string(), _HOSTNAME: z.string().optional() });

/** `files`: `-` is standard input. Nothing is kept of a file but the lines that name the request. Rejects where a file cannot be read. */
export async function traceRequest(requestId: string, files: readonly string[]): Promise<Trace> {
  const found: TracedLine[] = [];
  let malformed = 0;
  for (const file of files) {
    const input = file === '-' ? process.stdin : createReadStream(file);
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      const line = readLine(text, requestId);
      if (line === 'malformed') malformed += 1;
      else if (line !== undefined) found.push({ ...line, file });
    }
  }
  const at = (line: TracedLine) => Date.parse(line.time);
  return {
    request_id: requestId,
    lines: found.toSorted((one, other) => at(one) - at(other)),
    malformed_lines: malformed,
  };
}

/** Undefined for a line about something else. Only what names the request is taken apart: most lines do not. */
function readLine(
  text: string,
  requestId: string,
): Omit<TracedLine, 'file'> | 'malformed' | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}')) return 'malformed';
  if (!trimmed.includes(requestId)) return undefined;
  const outer = parse(trimmed);
  const journal = journalLine.safeParse(outer).data;
  const { data: line } = logLine.safeParse(journal === undefined ? outer : parse(journal.MESSAGE));
  if (line === undefined) return 'malformed';
  const { time, level, name, event, ...fields } = line;
  const isOfRequest = [fields['request_id'], fields['http_request_id']].includes(requestId);
  if (!isOfRequest) return undefined;
  const host = journal?._HOSTNAME;
  return { time, process: name, ...(host !== undefined && { host }), level, event, fields };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** For people: a line for each, the time since the first one before it. */
export function describeTrace({
  request_id: id,
  lines,
  malformed_lines: malformed,
}: Trace): string {
  const first = Date.parse(lines[0]?.time ?? '');
  const rows = lines.map(({ time, process: name, host, file, level, event, fields }) => {
    const since = `+${Date.parse(time) - first} ms`;
    const said = Object.entries(fields)
      .filter(([field]) => field !== 'request_id')
      .map(([field, value]) => `${field}=${String(value)}`);
    const where = host === undefined ? file : `${host} ${file}`;
    const urgent = level === 'info' ? '' : `${level.toUpperCase()} `;
    const text = `${urgent}${event} ${said.join(' ')}`;
    return `${time} ${since.padStart(10)}  ${name.padEnd(8)}  ${text}  (${where})`;
  });
  const skipped = malformed === 0 ? [] : [`${malformed} lines could not be read and were left out`];
  const told = lines.length === 0 ? [`no line names request ${id}`] : [`request ${id}`, ...rows];
  return [...told, ...skipped].map(printable).join('\n');
}

/** A file may hold anything: nothing in it moves a terminal's cursor. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}
