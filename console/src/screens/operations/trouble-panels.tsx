/** What is wrong now, and what to do. */
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { DataTable, type Column } from '../../design/data-table.js';
import { durationWords } from '../../design/duration-words.js';
import { Badge, Name, Panel, Quiet, Time } from '../../design/pieces.js';
import { useSeenAlarms } from '../../layout/new-alarms.js';
import { RequestId } from '../../vault/request-id.js';
import { NEWEST_ALARMS, useRows } from '../../vault/vault-queries.js';
import type { Figures } from './live-figures.js';
import { RunbookLink } from './runbook-link.js';
import { findingsOf, type Finding } from './needs-a-look.js';

interface WithFigures {
  readonly figures: Figures;
}

export function NeedsALookPanel({ figures }: WithFigures) {
  const findings = findingsOf(figures);
  return (
    <Panel title="What needs a look">
      {findings.length === 0 ? (
        <Quiet>
          Nothing: parties, ledger
          {figures.prices.state === 'ok' ? ', queues and prices' : ' and queues'} work.
        </Quiet>
      ) : (
        <DataTable
          caption="Findings"
          columns={FINDING_COLUMNS}
          rows={findings}
          idOf={({ what }) => what}
        />
      )}
    </Panel>
  );
}

const FINDING_COLUMNS: readonly Column<Finding>[] = [
  {
    title: 'When to act',
    cell: ({ mood }) => <Badge mood={mood}>{mood === 'bad' ? 'now' : 'soon'}</Badge>,
  },
  { title: 'What', isText: true, cell: ({ what }) => <Name text={what} /> },
  { title: 'What to do', isText: true, cell: ({ whatToDo }) => <Name text={whatToDo} /> },
  {
    title: 'Runbook',
    cell: ({ runbooks }) =>
      runbooks.map((name) => (
        <div key={name}>
          <RunbookLink name={name} />
        </div>
      )),
  },
];

/** Each alarm by itself: what to do about them is said with what else needs a look. */
export function AlarmsPanel({ figures: { alarms } }: WithFigures) {
  return (
    <Panel title="Alarms of the last 24 hours">
      {alarms.length === 0 ? <Quiet>None.</Quiet> : <NewestAlarms />}
    </Panel>
  );
}

type Alarm = OperationValue<'list-alarms'>['results'][number];

const LOOK_MS = 10_000;

/** Why each was raised, and by whom. */
function NewestAlarms() {
  useSeenAlarms();
  const { rows } = useRows('list-alarms', NEWEST_ALARMS, { everyMs: LOOK_MS });
  if (rows.length === 0) return null;
  return (
    <>
      <DataTable
        caption="The newest alarms"
        columns={NEWEST_COLUMNS}
        rows={rows}
        idOf={({ id }) => id}
      />
      <Quiet>
        The newest twenty. What to do is above. An alarm is a claim of whoever raised it: compare it
        with the log of the party that it accuses. <code>GET /v1/alarms</code> has what was sent.
      </Quiet>
    </>
  );
}

const NEWEST_COLUMNS: readonly Column<Alarm>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} />, sortBy: ({ at }) => at },
  {
    title: 'Accused',
    cell: ({ party, kind }) => `${party === null ? 'nobody' : `party ${party}`}: ${wordsOf(kind)}`,
  },
  { title: 'Why', isText: true, cell: ({ reason }) => <Name text={reason} /> },
  { title: 'How often', cell: ({ count }) => count, sortBy: ({ count }) => count },
  { title: 'What to do', cell: ({ kind }) => <RunbookLink name={kind} /> },
  {
    title: 'Who says so',
    cell: ({ accuser, is_verified: isVerified }) => (
      <>
        {wordsOf(accuser)} {isVerified === false && <Badge mood="bad">not its signature</Badge>}
      </>
    ),
  },
  {
    title: 'Request',
    cell: ({ request_id: requestId }) =>
      requestId === null ? 'none' : <RequestId id={requestId} />,
  },
];

const wordsOf = (word: string): string => word.replaceAll('_', ' ');

export function StuckPanel({ figures: { stuck_requests: stuck } }: WithFigures) {
  return (
    <Panel title="Stuck requests">
      {stuck.length === 0 ? (
        <Quiet>No request for a signature has waited for more than five seconds.</Quiet>
      ) : (
        <DataTable
          caption="Requests that wait for too long"
          columns={STUCK_COLUMNS}
          rows={stuck}
          idOf={({ request_id: id }) => id}
        />
      )}
    </Panel>
  );
}

const STUCK_COLUMNS: readonly Column<Figures['stuck_requests'][number]>[] = [
  {
    title: 'Request',
    cell: ({ request_id: id }) => <RequestId id={id} />,
  },
  { title: 'Operation', cell: ({ operation }) => <Name text={operation} /> },
  { title: 'Waits', cell: ({ waiting_ms: ms }) => durationWords(ms) },
];
