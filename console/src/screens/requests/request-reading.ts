import type { RequestRecord } from './shown-record.js';
import type { VenueWord } from './signer-venue.js';

export type FactsRead = NonNullable<RequestRecord['facts']>;

type Row = readonly [string, string | undefined];

const VENUE_NAMES: Readonly<Record<VenueWord, string>> = {
  proven: 'Venue, by the key’s id',
  said: 'Venue, says this gateway',
  false: 'Venue, not the key’s',
};

/** Name and value of each thing that was read, in the order in which somebody asks for them; what is absent is left out. */
export function readingOf(
  facts: FactsRead,
  venueWord: VenueWord = 'said',
): readonly (readonly [string, string])[] {
  return stated([
    ['Does at the venue', facts.operation_class],
    ['Unknown because of', facts.unknown_because],
    venueRow(facts, venueWord),
    ['Network', facts.network_id],
    ['Side', list(facts.sides)],
    ['Symbol', list(facts.symbols)],
    ['Asset', list(facts.assets)],
    ['Amount', list(facts.amounts)],
    ['Amount in the quote asset', list(facts.quote_amounts)],
    ['Contracts', list(facts.contracts)],
    ['Goes to', list(facts.destinations)],
    ...notInOrder(facts),
    ['Endpoint', facts.endpoint],
    ['SHA-256 of the message', facts.message_sha256],
  ]);
}

/** What the page does not read of the order itself. */
export function readingBesideOrder(
  facts: FactsRead,
  venueWord: VenueWord = 'said',
): readonly (readonly [string, string])[] {
  return stated([venueRow(facts, venueWord), ...notInOrder(facts)]);
}

function venueRow(facts: FactsRead, venueWord: VenueWord): Row {
  return [VENUE_NAMES[venueWord], facts.venue_id];
}

function notInOrder(facts: FactsRead): readonly Row[] {
  return [['Worth in US dollars', facts.usd_value?.value ?? facts.usd_value?.reason]];
}

function stated(rows: readonly Row[]): readonly (readonly [string, string])[] {
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
}

function list(values: readonly string[] | undefined): string | undefined {
  return values === undefined || values.length === 0 ? undefined : values.join(', ');
}
