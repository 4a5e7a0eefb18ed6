/** Changes that a form rests on and that the vault has not made yet: each with what it waits for. */
import type { CallResult } from '@countersign/client/call-result.js';
import { Link } from '@tanstack/react-router';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useKept } from '../session/kept-input.js';
import { askedWords } from './asked-words.js';
import { isPending, useRead } from './vault-queries.js';

export interface AskedChange {
  readonly requestId: string;
  /** As in “Address list Own addresses”. */
  readonly name: string;
}

/** `form`: of the form that rests on them. */
export function useAskedChanges(form: string) {
  const [asked, keep] = useKept<readonly AskedChange[]>(`asked by ${form}`, []);
  return {
    asked,
    /** Notes it if this is how a change was answered that is not made yet. */
    note: (answer: CallResult<unknown>, name: string) => {
      if (!isPending(answer)) return;
      keep([...asked, { requestId: answer.error.requestId ?? '', name }]);
    },
  };
}

export function AskedChanges({ asked }: { readonly asked: readonly AskedChange[] }) {
  return asked.map((one) => <Asked key={one.requestId} change={one} />);
}

const LOOK_MS = 3_000;

function Asked({ change: { requestId, name } }: { readonly change: AskedChange }) {
  const queries = useQueryClient();
  const params = { request_id: requestId };
  const { data: record } = useRead('get-request', { params }, { everyMs: LOOK_MS });
  const isMade = record?.status === 'completed';
  useEffect(() => {
    if (isMade) void queries.invalidateQueries();
  }, [isMade, queries]);
  return (
    <p role="status">
      {askedWords(name, record)}{' '}
      <Link to="/requests/$requestId" params={{ requestId }}>
        Follow its request
      </Link>
    </p>
  );
}
