/** What was done and what was refused: found by filters, exported, and checked as far as a page can. */
import { useState } from 'react';
import { Link, useSearch } from '@tanstack/react-router';
import { Button } from '../../design/button.js';
import { Dialog } from '../../design/dialog.js';
import {
  Badge,
  Block,
  Name,
  Panel,
  Quiet,
  Row,
  Screen,
  Time,
  Unseen,
} from '../../design/pieces.js';
import type { Column } from '../../design/data-table.js';
import { RowTable } from '../../vault/row-table.js';
import { RequestId } from '../../vault/request-id.js';
import { KeyName, UserName } from '../../vault/names.js';
import { ReasonText } from '../../vault/reason-text.js';
import { useRows } from '../../vault/vault-queries.js';
import styles from './audit.module.css';
import { outcomeWords } from './outcome-words.js';
import { NO_FILTERS, queryOf, subjectsOfSearch, type AuditFilters } from './audit-filters.js';
import { ChainPanel } from './chain-panel.js';
import type { AuditEntry } from './chain-check.js';
import { ExportButton } from './export-button.js';
import { FilterForm } from './filter-form.js';

export function AuditScreen() {
  // the router leaves in it what its own check takes out
  const about = subjectsOfSearch(useSearch({ strict: false }));
  return <AuditLog key={JSON.stringify(about)} start={{ ...NO_FILTERS, ...about }} />;
}

function AuditLog({ start }: { readonly start: AuditFilters }) {
  const [filters, setFilters] = useState(start);
  const query = queryOf(filters);
  const list = useRows('list-audit-logs', { query: { limit: '50', ...query } });
  return (
    <Screen
      title="Audit"
      lead="Every change, every signature and every refusal to a known caller, newest first."
    >
      <FilterForm filters={filters} onApply={setFilters} />
      <div className={styles.whole}>
        <Panel title="Export and verify">
          <Row>
            <ExportButton query={query} format="jsonl" />
            <ExportButton query={query} format="csv" />
          </Row>
          <Quiet>
            What the filters let through, all of it. What you type counts once you press Find. The
            JSON lines without filters are what <code>countersign audit verify</code> takes: on
            another machine, with the genesis that it trusts, it recomputes every hash, judges every
            change again, and checks the signatures and receipts of the parties.
          </Quiet>
        </Panel>
        <ChainPanel />
      </div>
      <RowTable
        caption="Audit entries"
        columns={COLUMNS}
        list={list}
        idOf={({ chain, seq }) => `${chain} ${seq}`}
        empty={
          <>
            <strong>No entry fits these filters.</strong>
            <Quiet>Take one of them away, or look at a longer time.</Quiet>
          </>
        }
      />
    </Screen>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'When', cell: ({ time }) => <Time at={time} />, sortBy: ({ time }) => time },
  {
    title: 'Who',
    cell: ({ actor }) => (/^[0-9a-f-]{36}$/.test(actor) ? <UserName id={actor} /> : actor),
  },
  { title: 'What', cell: ({ action }) => <Name text={action} />, sortBy: ({ action }) => action },
  { title: 'Key', cell: ({ resource }) => <Keys ids={resource.key_ids} /> },
  {
    title: 'Outcome',
    cell: (entry) => <Outcome entry={entry} />,
    sortBy: ({ outcome }) => outcome,
    isText: true,
  },
  {
    title: 'Request',
    cell: ({ request_id: requestId }) =>
      requestId === null ? 'none' : <RequestId id={requestId} />,
  },
  { title: 'Details', cell: (entry) => <Details entry={entry} /> },
];

const MOST_KEYS = 2;

/** An entry may be about a hundred. */
function Keys({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return 'none';
  const more = ids.length - MOST_KEYS;
  return (
    <>
      {ids.slice(0, MOST_KEYS).map((keyId, place) => (
        <span key={keyId}>
          {place > 0 && ', '}
          <Link to="/keys/$keyId" params={{ keyId }}>
            <KeyName id={keyId} />
          </Link>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
}

/** With the reason, where one is told: a rule, a right that is missing, or a request that could not be read. */
function Outcome({ entry }: { readonly entry: AuditEntry }) {
  const { reason } = entry.details;
  const { mood, words } = outcomeWords(entry);
  return (
    <>
      <Badge mood={mood}>{words}</Badge>
      {typeof reason === 'string' && (
        <div className={styles.reason}>
          <Quiet>
            <ReasonText text={reason} />
          </Quiet>
        </div>
      )}
    </>
  );
}

function Details({ entry }: { readonly entry: AuditEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { chain, seq, resource, policy, details, hash } = entry;
  const text = JSON.stringify({ chain, seq, resource, policy, details, hash }, null, 2);
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        Show
        <Unseen>
          {' '}
          entry {seq} of {chain}
        </Unseen>
      </Button>
      {isOpen && (
        <Dialog title={`Entry ${seq} of ${chain}`} onClose={() => setOpen(false)}>
          <Block label={`Entry ${seq} of ${chain}`} text={text} />
        </Dialog>
      )}
    </>
  );
}
