/** A draft of signing policies, tried on recorded requests to the end of the period. */
import { backtestBody, MAX_BACKTEST_DAYS } from '@countersign/api/backtest-schema.js';
import type {
  CountersignClient,
  OperationInput,
  OperationValue,
} from '@countersign/client/countersign-client.js';
import {
  UsageError,
  type Command,
  type Given,
  type Option,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';
import { readDocument } from '../tool/document.js';
import { asCaller, valueOrRefused } from './caller.js';
import { readText } from './given-files.js';
import { PROFILE_OPTION } from './profile.js';

type Answer = OperationValue<'backtest-signing-policies'>;
type Body = OperationInput<'backtest-signing-policies'>['body'];
export type Totals = Answer['totals'];

const USUAL_DAYS = 7;
const DAY_MS = 86_400_000;

export const SINCE_OPTION: Option = {
  name: 'days',
  value: 'NUMBER',
  about: `How many days back the backtest goes, at most ${MAX_BACKTEST_DAYS}; ${USUAL_DAYS} when absent.`,
};

export const BACKTEST_COMMAND: Command = {
  words: 'policies backtest',
  about: 'Show what a draft of signing policies would have changed.',
  details:
    'Prints one line of JSON for each request that the draft would change, then a line with the totals.',
  arguments: [
    {
      name: 'FILE',
      about:
        'The body of POST /v1/signing-policies/backtest, YAML or JSON; - reads standard input.',
    },
  ],
  options: [PROFILE_OPTION],
  examples: ['policies backtest draft.yaml'],
  run: backtest,
};

export function periodOf(
  given: Given,
  now: number,
): { readonly from: string; readonly to: string } {
  const days = Number(given.maybe('days') ?? USUAL_DAYS);
  if (!Number.isInteger(days) || days < 1 || days > MAX_BACKTEST_DAYS) {
    throw new UsageError(`--days is a whole number, 1 to ${MAX_BACKTEST_DAYS}`);
  }
  return {
    from: new Date(now - days * DAY_MS).toISOString(),
    to: new Date(now).toISOString(),
  };
}

async function backtest(given: Given, io: Surroundings): Promise<Outcome> {
  const file = given.one('FILE');
  const document = readDocument(file, readText(file, io));
  document.check(backtestBody);
  return asCaller(given, io, async ({ client }) => {
    const onRows = (rows: Answer['results']) => {
      for (const row of rows) io.writeOutput(`${JSON.stringify(row)}\n`);
    };
    const totals = await backtestTotals(client, document.value, io, onRows);
    return { text: `${JSON.stringify({ totals })}\n` };
  });
}

/** Of all answers together; `onRows` hears of each request as soon as it is told. Throws RefusedError: a part would be taken for all. */
export async function backtestTotals(
  client: Pick<CountersignClient, 'pages'>,
  body: unknown,
  io: Pick<Surroundings, 'showProgress'>,
  onRows: (rows: Answer['results']) => void = () => undefined,
): Promise<Totals> {
  const sum: Record<string, number> = {};
  for await (const page of client.pages('backtest-signing-policies', { body: body as Body })) {
    const { totals, results } = valueOrRefused(page);
    for (const [name, count] of Object.entries(totals)) sum[name] = (sum[name] ?? 0) + count;
    io.showProgress(`backtest: ${sum['requests']} requests`);
    onRows(results);
  }
  return sum as Totals;
}

export function totalsInWords(totals: Totals): string {
  const { requests, same, ...changes } = totals;
  const counted = Object.entries(changes).filter(([, count]) => count > 0);
  const words = counted.map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`);
  return `Backtest: of ${requests} requests ${same} stay the same${words.map((one) => `, ${one}`).join('')}.`;
}
