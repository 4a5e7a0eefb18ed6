/** What is wrong now, and what to do. */
import { Link } from '@tanstack/react-router';
import { DataTable, type Column } from '../../design/data-table.js';
import { durationWords } from '../../design/duration-words.js';
import { Badge, Name, Panel, Quiet, Time } from '../../design/pieces.js';
import type { Figures } from './figure-samples.js';
import { findingsOf, type Finding } from './needs-a-look.js';

interface WithFigures {
  readonly figures: Figures;
}

export function NeedsALookPanel({ figures }: WithFigures) {
  const findings = findingsOf(figures);
  return (
    <Panel title="What needs a look">
      {findings.length === 0 ? (
        <Quiet>Nothing: parties, ledger, queues and prices are as they should be.</Quiet>
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
    title: 'How bad',
    cell: ({ mood }) => <Badge mood={mood}>{mood === 'bad' ? 'now' : 'soon'}</Badge>,
  },
  { title: 'What', cell: ({ what }) => <Name text={what} /> },
  { title: 'What to do', cell: ({ whatToDo }) => whatToDo },
];

export function AlarmsPanel({ figures: { alarms } }: WithFigures) {
  return (
    <Panel title="Alarms of the last 24 hours">
      {alarms.length === 0 ? (
        <Quiet>None.</Quiet>
      ) : (
        <DataTable
          caption="Alarms by kind"
          columns={ALARM_COLUMNS}
          rows={alarms}
          idOf={({ kind }) => kind}
        />
      )}
    </Panel>
  );
}

const ALARM_COLUMNS: readonly Column<Figures['alarms'][number]>[] = [
  { title: 'Alarm', cell: ({ kind }) => <Badge mood="bad">{kind.replaceAll('_', ' ')}</Badge> },
  {
    title: 'Parties',
    cell: ({ parties }) => (parties.length === 0 ? 'not known' : parties.join(', ')),
  },
  { title: 'How often', cell: ({ count }) => count },
  { title: 'Last', cell: ({ last_at: at }) => <Time at={at} /> },
  { title: 'What to do', cell: ({ what_to_do: whatToDo }) => <Name text={whatToDo} /> },
];

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
    cell: ({ request_id: requestId }) => (
      <Link to="/requests/$requestId" params={{ requestId }}>
        {requestId}
      </Link>
    ),
  },
  { title: 'Operation', cell: ({ operation }) => <Name text={operation} /> },
  { title: 'Waits', cell: ({ waiting_ms: ms }) => durationWords(ms) },
];
