import type { RequestRecord } from './shown-record.js';
import type { VenueWord } from './signer-venue.js';

export type FactsRead = NonNullable<RequestRecord['facts']>;

/** Name and value of each thing that was read, in the order in which somebody asks for them; what is absent is left out. */
const VENUE_NAMES: Readonly<Record<VenueWord, string>> = {
  proven: 'Venue, by the key’s id',
  said: 'Venue, says this gateway',
  false: 'Venue, not the key’s',
};

export function readingOf(
  facts: FactsRead,
  venueWord: VenueWord = 'said',
): readonly (readonly [string, string])[] {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Does at the venue', facts.operation_class],
    ['Unknown because of', facts.unknown_because],
    [VENUE_NAMES[venueWord], facts.venue_id],
    ['Network', facts.network_id],
    ['Side', list(facts.sides)],
    ['Symbol', list(facts.symbols)],
    ['Asset', list(facts.assets)],
    ['Amount', list(facts.amounts)],
    ['Amount in the quote asset', list(facts.quote_amounts)],
    ['Contracts', list(facts.contracts)],
    ['Goes to', list(facts.destinations)],
    ['Worth in US dollars', facts.usd_value?.value ?? facts.usd_value?.reason],
    ['Endpoint', facts.endpoint],
    ['SHA-256 of the message', facts.message_sha256],
  ];
  return rows.filter((row): row is readonly [string, string] => row[1] !== undefined);
}

function list(values: readonly string[] | undefined): string | undefined {
  return values === undefined || values.length === 0 ? undefined : values.join(', ');
}
