/** What somebody wrote and has not sent: leaving a form loses nothing. In memory alone, and gone with the session. */
import { useState } from 'react';
import type { Session } from './session.js';
import { useSession } from './session-store.js';

const ofSessions = new WeakMap<Session, Map<string, unknown>>();

/** As `useState`, and there again when the form of this name is. No secret belongs in it. */
export function useKept<Value>(
  name: string,
  start: Value,
): readonly [Value, (value: Value) => void] {
  const kept = keptIn(useSession());
  const [value, setValue] = useState(() => (kept.has(name) ? (kept.get(name) as Value) : start));
  const keep = (next: Value) => {
    kept.set(name, next);
    setValue(next);
  };
  return [value, keep];
}

function keptIn(session: Session): Map<string, unknown> {
  const known = ofSessions.get(session) ?? new Map<string, unknown>();
  ofSessions.set(session, known);
  return known;
}
