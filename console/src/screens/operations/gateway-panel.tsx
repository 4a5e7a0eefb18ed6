/** The ledger as this gateway has it, freezes and prices, and the process itself. */
import { Link } from '@tanstack/react-router';
import { durationWords } from '../../design/duration-words.js';
import { CopyableId } from '../../design/copyable-id.js';
import type { Mood } from '../../design/mood-icon.js';
import { Badge, Fact, Facts, Name, Panel } from '../../design/pieces.js';
import type { Figures } from './live-figures.js';

interface WithFigures {
  readonly figures: Figures;
}

export function LedgerPanel({ figures: { ledger, freezes, prices } }: WithFigures) {
  return (
    <Panel title="Ledger, freezes and prices">
      <Facts>
        <Fact name="Head">
          {ledger.seq} <CopyableId text={ledger.hash} what="hash of the head" />
        </Fact>
        <Fact name="Rules version">{ledger.rules_version}</Fact>
        <Fact name="Confirmed">{durationWords(ledger.confirmed_ms_ago)} ago</Fact>
        <Fact name="To be countersigned">
          {ledger.pending}
          {ledger.oldest_ms !== null && `, the oldest for ${durationWords(ledger.oldest_ms)}`}
        </Fact>
        <Fact name="Waiting for approvals">
          {ledger.held} <Link to="/requests">Requests</Link>
        </Fact>
        <Fact name="Freezes in force">
          {freezeWords(freezes)} <Link to="/freezes">Freezes</Link>
        </Fact>
        <Fact name="Prices">
          <Badge mood={PRICE_MOODS[prices.state]}>{prices.state}</Badge>{' '}
          {prices.relays.map(({ relay, age_ms: ms }) => (
            <span key={relay}>
              <Name text={relay} />: {ms === null ? 'not seen' : `${durationWords(ms)} old`}{' '}
            </span>
          ))}
        </Fact>
      </Facts>
    </Panel>
  );
}

const PRICE_MOODS: Readonly<Record<Figures['prices']['state'], Mood>> = {
  ok: 'good',
  unavailable: 'bad',
  none: 'plain',
};

function freezeWords({ total, by_scope: byScope }: Figures['freezes']): string {
  const some = Object.entries(byScope).filter(([, count]) => count > 0);
  return total === 0 ? 'none' : some.map(([scope, count]) => `${count} ${scope}`).join(', ');
}

export function GatewayPanel({ figures: { gateway } }: WithFigures) {
  const { open, idle, waiting } = gateway.database_connections;
  return (
    <Panel title="This gateway">
      <Facts>
        <Fact name="Id">
          <CopyableId text={gateway.id} what="gateway id" />
        </Fact>
        <Fact name="Release">{gateway.version}</Fact>
        <Fact name="Runs for">{durationWords(gateway.uptime_s * 1_000)}</Fact>
        <Fact name="Busy">{Math.round(gateway.event_loop_use * 100)} % of its event loop</Fact>
        <Fact name="Memory">{Math.round(gateway.memory_bytes / 2 ** 20)} MiB</Fact>
        <Fact name="Database connections">
          {open} open, {idle} idle; {waiting} queries wait
        </Fact>
      </Facts>
    </Panel>
  );
}
