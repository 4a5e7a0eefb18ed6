/** How the vault works now, for who operates it. */
import { Badge, Panel, Quiet, Row, Screen, Time } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { VaultError } from '../../vault/vault-queries.js';
import type { Figures } from './live-figures.js';
import { GatewayPanel, LedgerPanel } from './gateway-panel.js';
import { HistoryPanels } from './history-panel.js';
import { useLiveFigures } from './live-figures.js';
import { PartiesPanel } from './parties-panel.js';
import { QueuesLink } from './queues-link.js';
import { RefusalsPanel } from './refusals-panel.js';
import { SigningPanel } from './signing-panel.js';
import { AlarmsPanel, NeedsALookPanel, StuckPanel } from './trouble-panels.js';

export function OperationsScreen() {
  const { figures, error, isLive } = useLiveFigures();
  if (error instanceof VaultError && error.error.status === 403) return <NotForYou />;
  return (
    <Screen
      title="Operations"
      lead="How the vault works now, as the gateway sees it that serves this page; another one has figures of its own."
    >
      <Fault error={error} />
      {figures === undefined && error === null && <Quiet>Loading the figures …</Quiet>}
      {figures !== undefined && (
        <>
          <Freshness at={figures.at} isLive={isLive} />
          <NeedsALookPanel figures={figures} />
          <HistoryPanels now={figures.at} />
          <AlarmsPanel figures={figures} />
          <SigningPanel figures={figures} />
          <StuckPanel figures={figures} />
          <PartiesPanel figures={figures} />
          <RefusalsPanel figures={figures} />
          <LedgerPanel figures={figures} />
          <GatewayPanel figures={figures} />
        </>
      )}
    </Screen>
  );
}

function Freshness({ at, isLive }: Pick<Figures, 'at'> & { readonly isLive: boolean }) {
  return (
    <Row>
      <span role="status">
        {isLive ? <Badge mood="good">live</Badge> : <Badge mood="warn">every five seconds</Badge>}
      </span>
      <span>
        Figures of <Time at={at} isExact />
      </span>
      <QueuesLink />
    </Row>
  );
}

function NotForYou() {
  return (
    <Screen title="Operations">
      <Panel>
        <strong>You have no right to see this.</strong>
        <Quiet>
          It is for users with <code>view_system_resources</code>. Whoever manages administrative
          policies in this vault can give it to you.
        </Quiet>
      </Panel>
    </Screen>
  );
}
