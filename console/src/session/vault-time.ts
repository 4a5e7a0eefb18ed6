import { useEffect, useState } from 'react';
import { useSession } from './session-store.js';

const TICK_MS = 1_000;

/** The vault's time, ms: moves on by itself. */
export function useVaultTime(): number {
  const { clockOffsetMs } = useSession();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const tick = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(tick);
  }, []);
  return now + clockOffsetMs;
}
