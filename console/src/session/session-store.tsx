/** The session as screens see it. It is kept in this module's memory alone: a reload signs in again. */
import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { setClockAhead } from '../design/page-clock.js';
import type { Session } from './session.js';

/** Nobody is there any more after this long without a key or a pointer, ms. */
const IDLE_MS = 15 * 60_000;
const LOOK_MS = 5_000;

interface SessionSeat {
  readonly session: Session | undefined;
  /** Why the last one ended, for people. */
  readonly endedBecause: string | undefined;
  begin(session: Session): void;
  end(because?: string): void;
}

const Seat = createContext<SessionSeat | undefined>(undefined);

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState<Session>();
  const [endedBecause, setEndedBecause] = useState<string>();
  const seat: SessionSeat = {
    session,
    endedBecause,
    begin(opened) {
      setEndedBecause(undefined);
      setClockAhead(opened.clockOffsetMs);
      setSession(opened);
    },
    end(because) {
      setEndedBecause(because);
      setSession(undefined);
    },
  };
  useBounds(session, seat.end);
  return <Seat value={seat}>{children}</Seat>;
}

export function useSeat(): SessionSeat {
  const seat = useContext(Seat);
  if (seat === undefined) throw new Error('outside of a SessionProvider');
  return seat;
}

/** For screens, which are shown to nobody who has not signed in. */
export function useSession(): Session {
  const { session } = useSeat();
  if (session === undefined) throw new Error('nobody has signed in');
  return session;
}

function useBounds(session: Session | undefined, end: (because: string) => void): void {
  useEffect(() => {
    if (session === undefined) return;
    let seenAt = Date.now();
    const seen = () => {
      seenAt = Date.now();
    };
    const look = setInterval(() => {
      if (Date.now() + session.clockOffsetMs >= session.endsAt) end('Your sign-in has ended.');
      else if (Date.now() - seenAt >= IDLE_MS) end('You were away for 15 minutes.');
    }, LOOK_MS);
    const events = ['keydown', 'pointerdown'] as const;
    for (const name of events) addEventListener(name, seen);
    return () => {
      clearInterval(look);
      for (const name of events) removeEventListener(name, seen);
    };
    // `end` is made anew at every rendering and does the same
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [session]);
}
