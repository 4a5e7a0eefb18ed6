/** What an alarm means, and what to do first: the pages of the documentation for whoever is called. */
import { Link, useParams } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { DataTable } from '../../design/data-table.js';
import { Block, Panel, Quiet, Row, Screen } from '../../design/pieces.js';
import { blocksOf, spansOf, type Block as Part } from './runbook-blocks.js';
import styles from './runbook.module.css';

type Table = Extract<Part, { kind: 'table' }>;

const PAGES = import.meta.glob<string>('../../../../docs/how-to/runbooks/*.md', {
  query: '?raw',
  import: 'default',
});

export function RunbookScreen() {
  const { name } = useParams({ strict: false }) as { name: string };
  const { data: text, isPending } = useQuery({
    queryKey: ['runbook', name],
    queryFn: async () => (await PAGES[`../../../../docs/how-to/runbooks/${name}.md`]?.()) ?? null,
    staleTime: Infinity,
  });
  return (
    <Screen title={`Runbook: ${name.replaceAll('_', ' ')}`}>
      <Row>
        <Link to="/operations">Operations</Link>
      </Row>
      {isPending && <Quiet>Loading the runbook …</Quiet>}
      {text === null && <Quiet>There is no such runbook in this release.</Quiet>}
      {typeof text === 'string' && <Runbook parts={blocksOf(text)} />}
    </Screen>
  );
}

function Runbook({ parts }: { readonly parts: readonly Part[] }) {
  return (
    <Panel>
      <div className={styles.text}>
        {parts.map((part, place) => (
          // oxlint-disable-next-line react/no-array-index-key -- a page does not change
          <RunbookPart key={place} part={part} />
        ))}
      </div>
    </Panel>
  );
}

function RunbookPart({ part }: { readonly part: Part }) {
  switch (part.kind) {
    case 'title':
      return null;
    case 'heading':
      return <h2>{part.text}</h2>;
    case 'command':
      return <Block label="Commands" text={part.text} />;
    case 'list':
      return (
        <ul>
          {part.items.map((item) => (
            <li key={item}>
              <Spans text={item} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return <RunbookTable rows={part.rows} />;
    default:
      return (
        <p>
          <Spans text={part.text} />
        </p>
      );
  }
}

function RunbookTable({ rows: [names = [], ...rows] }: Pick<Table, 'rows'>) {
  const columns = names.map((title, place) => ({
    title,
    cell: (row: readonly string[]) => <Spans text={row[place] ?? ''} />,
  }));
  return (
    <DataTable caption="What to do" columns={columns} rows={rows} idOf={(row) => row.join()} />
  );
}

function Spans({ text }: { readonly text: string }) {
  return spansOf(text).map(({ text: words, isCode, runbook }, place) => {
    const key = `${place} ${words}`;
    if (isCode) return <code key={key}>{words}</code>;
    if (runbook === undefined) return <span key={key}>{words}</span>;
    return (
      <Link key={key} to="/runbooks/$name" params={{ name: runbook }}>
        {words}
      </Link>
    );
  });
}
