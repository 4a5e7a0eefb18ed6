/** `countersign policy backtest`: tries a draft of signing policies on what is on record, to the end of the period. */
import { parseArgs } from 'node:util';
import { backtestBody } from '@countersign/api/backtest-schema.js';
import { isRefusal } from '@countersign/core/errors.js';
import { validate } from '@countersign/api/validate.js';
import type { OperationValue } from '../calls/operation-calls.js';
import type { CountersignClient } from '../calls/countersign-client.js';
import type { OperationInput } from '../calls/operation-request.js';
import { openCallerClient, type CallerFiles } from '../commands/caller-client.js';
import type { CommandSurroundings } from '../commands/command-surroundings.js';
import { LocalError } from '../commands/local-error.js';
import { parseJson, readFile } from '../commands/local-files.js';

export const BACKTEST_USAGE = `usage: countersign policy backtest FILE --url URL --api-key-file FILE --private-key-file FILE
  FILE is the body of POST /v1/signing-policies/backtest: security_group_id, rules or policies, from, to, show.
  Prints one line of JSON for each request that the draft would change, then the totals.
Exit codes: 0 done, 1 an error on this machine, 2 an error of the service.`;

interface Asked extends CallerFiles {
  readonly file: string;
}

type Body = OperationInput<'backtest-signing-policies'>['body'];
type Answer = OperationValue<'backtest-signing-policies'>;

export async function runBacktest(
  args: readonly string[],
  io: CommandSurroundings,
): Promise<0 | 1 | 2> {
  try {
    const asked = parseOptions(args);
    const body = readBody(asked.file, io);
    const client = openCallerClient(asked);
    try {
      return await backtest(client, body, io);
    } finally {
      client.close();
    }
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    io.writeNote(`countersign: ${error.message}\n`);
    return 1;
  }
}

/** Says what changed as soon as it is told; ends with what it all comes to. */
export async function backtest(
  client: Pick<CountersignClient, 'pages'>,
  body: Body,
  io: Pick<CommandSurroundings, 'writeOutput' | 'writeNote'>,
): Promise<0 | 2> {
  const totals: Record<string, number> = {};
  for await (const page of client.pages('backtest-signing-policies', { body })) {
    if (!page.ok) {
      io.writeNote(`countersign: ${page.error.errType}: ${page.error.errMsg}\n`);
      return 2;
    }
    addTo(totals, page.value.totals);
    for (const row of page.value.results) io.writeOutput(`${JSON.stringify(row)}\n`);
  }
  io.writeOutput(`${JSON.stringify({ totals })}\n`);
  return 0;
}

function addTo(totals: Record<string, number>, more: Answer['totals']): void {
  for (const [name, count] of Object.entries(more)) totals[name] = (totals[name] ?? 0) + count;
}

function parseOptions(args: readonly string[]): Asked {
  const { positionals, values } = parseOrExplain(args);
  const [file, ...more] = positionals;
  const { url, 'api-key-file': apiKeyFile, 'private-key-file': privateKeyFile } = values;
  if (file === undefined || more.length > 0) throw new LocalError(BACKTEST_USAGE);
  if (url === undefined || apiKeyFile === undefined || privateKeyFile === undefined) {
    throw new LocalError(BACKTEST_USAGE);
  }
  return { file, url, apiKeyFile, privateKeyFile };
}

function parseOrExplain(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = { url: text, 'api-key-file': text, 'private-key-file': text };
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch {
    // the parser's own error repeats the argument
    throw new LocalError(BACKTEST_USAGE);
  }
}

/** As the file states it: the service reads the same bytes, and looks at them again. */
function readBody(file: string, io: CommandSurroundings): Body {
  const text = (file === '-' ? io.readStandardInput() : readFile(file)).toString('utf8');
  const value = parseJson(text);
  const fault = validate(backtestBody, value);
  if (isRefusal(fault)) throw new LocalError(`${file}: ${fault.message}`);
  return value as Body;
}
