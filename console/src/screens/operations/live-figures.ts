/** The figures of the vault as they change: by stream, and asked for again and again where there is none. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { streamSystemOperationsOperation } from '@countersign/api/operations/system-operations.js';
import { useSession } from '../../session/session-store.js';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { useRead } from '../../vault/vault-queries.js';

export type Figures = OperationValue<'get-system-operations'>;

const ASK_MS = 5_000;
const READ = 'get-system-operations';

interface LiveFigures {
  readonly figures: Figures | undefined;
  /** Why there are no newer ones; null: nothing is wrong. */
  readonly error: Error | null;
  readonly isLive: boolean;
}

export function useLiveFigures(): LiveFigures {
  const [isLive, setLive] = useState(false);
  const { data: figures, error } = useRead(READ, {}, isLive ? {} : { everyMs: ASK_MS });
  useStream(figures !== undefined, setLive);
  return { figures, error, isLive };
}

/** Puts what the stream tells where the reads' answers are. It ends with the screen; one that ended is asked for again. */
function useStream(isWanted: boolean, setLive: (isLive: boolean) => void): void {
  const session = useSession();
  const queries = useQueryClient();
  useEffect(() => {
    if (!isWanted) return;
    const closing = new AbortController();
    const { signal } = closing;
    const { path } = streamSystemOperationsOperation;
    const follow = async () => {
      for await (const data of session.follow(path, 'operations', signal)) {
        queries.setQueryData([READ, {}], JSON.parse(data));
        setLive(true);
      }
    };
    let again: ReturnType<typeof setTimeout> | undefined;
    const keepOn = () => {
      setLive(false);
      if (!signal.aborted) again = setTimeout(begin, ASK_MS);
    };
    const begin = () => void follow().then(keepOn, keepOn); // why it ended, the reads say
    begin();
    return () => {
      clearTimeout(again);
      closing.abort();
    };
  }, [isWanted, session, queries, setLive]);
}
