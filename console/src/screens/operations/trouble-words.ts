/** What was not as it should be, in words, and which runbook tells what to do. */
import type { SystemHistory } from './chart-columns.js';

export type Trouble = SystemHistory['troubles'][number];

export function troubleWords({ kind, parties, scope }: Trouble): string {
  return WORDS[kind](parties.join(' and '), scope ?? '');
}

type Say = (parties: string, scope: string) => string;

const WORDS: Readonly<Record<Trouble['kind'], Say>> = {
  party_away: (party) => `Party ${party} was down`,
  pair_left_out: (parties) => `Parties ${parties} were left out as a pair`,
  frozen: (_, scope) =>
    scope === 'system' ? 'The whole system was frozen' : `A ${scope} was frozen`,
  prices_away: () => 'There were no prices',
  ledger_waits: () => 'A change waited for two countersignatures',
  ledger_unconfirmed: () => 'The database was not seen to be at its newest entry',
  ledger_stopped: () => 'This gateway followed the ledger no more',
};

/** Names of pages in docs/how-to/runbooks. */
export const TROUBLE_RUNBOOKS: Readonly<Record<Trouble['kind'], string>> = {
  party_away: 'CountersignPartyDown',
  pair_left_out: 'CountersignPairUnanswered',
  frozen: 'CountersignFrozen',
  prices_away: 'CountersignPricesStale',
  ledger_waits: 'CountersignGovernanceStuck',
  ledger_unconfirmed: 'CountersignLedgerUnconfirmed',
  ledger_stopped: 'CountersignLedgerStopped',
};

/** “from 03:12:00 to 03:15:20”, in one time zone and with the day once, where it is one. */
export function spanWords({ from, to }: Pick<Trouble, 'from' | 'to'>): string {
  const start = new Date(from);
  return to === null ? `${SPAN.format(start)} – now` : SPAN.formatRange(start, new Date(to));
}

const SPAN = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
