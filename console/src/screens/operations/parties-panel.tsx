/** The three parties, their replicas and queues, and how each two work together. */
import { DataTable, type Column } from '../../design/data-table.js';
import { durationWords } from '../../design/duration-words.js';
import type { Mood } from '../../design/mood-icon.js';
import { Badge, Name, Panel, Quiet, Time } from '../../design/pieces.js';
import type { Figures } from './live-figures.js';

type Party = Figures['parties'][number];
type Pair = Figures['pairs'][number];
type Replica = Party['replicas'][number] & {
  readonly party: number;
  readonly queue: Party['queues'][number] | undefined;
};

export function PartiesPanel({ figures: { parties, pairs } }: { readonly figures: Figures }) {
  const replicas = parties.flatMap(replicasOf);
  return (
    <Panel title="Parties">
      <DataTable
        caption="The three parties"
        columns={PARTY_COLUMNS}
        rows={parties}
        idOf={({ party }) => String(party)}
      />
      <h3>Replicas and their queues</h3>
      {replicas.length === 0 ? (
        <Quiet>No replica of any party is heard: start them.</Quiet>
      ) : (
        <DataTable
          caption="Replicas"
          columns={REPLICA_COLUMNS}
          rows={replicas}
          idOf={({ party, name }) => `${party} ${name}`}
        />
      )}
      <h3>Pairs</h3>
      <DataTable
        caption="Pairs of parties"
        columns={PAIR_COLUMNS}
        rows={pairs}
        idOf={({ parties: two }) => two.join()}
      />
    </Panel>
  );
}

function replicasOf({ party, replicas, queues }: Party): Replica[] {
  return replicas.map((replica) => {
    const queue = queues.find((one) => one.replica === replica.name);
    return { ...replica, party, queue };
  });
}

const PARTY_COLUMNS: readonly Column<Party>[] = [
  { title: 'Party', cell: ({ party }) => party },
  {
    title: 'State',
    cell: ({ is_alive: isAlive }) => (
      <Badge mood={isAlive ? 'good' : 'bad'}>{isAlive ? 'alive' : 'down'}</Badge>
    ),
  },
  { title: 'Newest head', cell: ({ head }) => head?.seq ?? 'none' },
  { title: 'Countersigned', cell: ({ head }) => (head === null ? '–' : <Time at={head.at} />) },
  {
    title: 'Rules',
    cell: ({ head }) =>
      head === null ? '–' : `${head.rules_version}, up to ${head.newest_rules_version}`,
  },
  { title: 'Freezes obeyed up to', cell: ({ obeys_seq: obeyed }) => obeyed },
  { title: 'Batches waiting', cell: ({ queues }) => waitingWords(queues) },
];

function waitingWords(queues: Party['queues']): string {
  const depth = queues.reduce((sum, queue) => sum + queue.depth, 0);
  const oldest = Math.max(-1, ...queues.map(({ oldest_ms: ms }) => ms ?? -1));
  return oldest < 0 ? `${depth}` : `${depth}, the oldest for ${durationWords(oldest)}`;
}

const REPLICA_COLUMNS: readonly Column<Replica>[] = [
  {
    title: 'Replica',
    cell: ({ party, name }) => (
      <>
        <Name text={name} /> of party {party}
      </>
    ),
  },
  { title: 'Speaks for it', cell: ({ is_primary: isPrimary }) => (isPrimary ? 'yes' : 'no') },
  { title: 'Heard', cell: ({ heard_ms_ago: ms }) => `${durationWords(ms)} ago` },
  { title: 'Failed in a row', cell: ({ failures }) => failures },
  {
    title: 'Batches waiting',
    cell: ({ queue }) => (queue === undefined ? 'not used' : waitingWords([queue])),
  },
];

const PAIR_MOODS: Readonly<Record<Pair['breaker'], Mood>> = {
  closed: 'good',
  half_open: 'warn',
  open: 'bad',
};

const PAIR_COLUMNS: readonly Column<Pair>[] = [
  { title: 'Parties', cell: ({ parties }) => parties.join(' and ') },
  {
    title: 'Circuit breaker',
    cell: ({ breaker }) => <Badge mood={PAIR_MOODS[breaker]}>{breaker.replace('_', ' ')}</Badge>,
  },
  { title: 'Batches answered', cell: ({ answered }) => answered },
  { title: 'Tried again', cell: ({ retried }) => retried },
  { title: 'Lost', cell: ({ lost }) => lost },
  {
    title: 'An answer takes',
    cell: ({ typical_ms: ms }) => (ms === null ? '–' : durationWords(ms)),
  },
];
