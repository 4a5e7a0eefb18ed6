/** How the gateway reads the order, transaction or message: for people, beside the bytes that are signed for. */
import { Badge, Fact, Name } from '../../design/pieces.js';
import { readingBesideOrder, readingOf, type FactsRead } from './request-reading.js';
import type { VenueWord } from './signer-venue.js';

interface RequestFactsProps {
  readonly facts: FactsRead;
  /** The page reads the order or the transaction itself. */
  readonly isReadHere: boolean;
  /** Who says at which venue the key is good. */
  readonly venueWord?: VenueWord | undefined;
}

export function RequestFacts({ facts, isReadHere, venueWord }: RequestFactsProps) {
  const reading = (isReadHere ? readingBesideOrder : readingOf)(facts, venueWord);
  return (
    <>
      {reading.map(([name, value]) => (
        <Fact key={name} name={name}>
          <Name text={value} />
        </Fact>
      ))}
      {facts.undecidable.length > 0 && (
        <Fact name="Cannot be decided">
          <Badge mood="bad">{facts.undecidable.join(', ')}</Badge>
        </Fact>
      )}
    </>
  );
}
