/** How many things wait behind an entry of the navigation: beside it, so that its name stays what it is. */
import { Unseen } from '../design/pieces.js';
import { useRows } from '../vault/vault-queries.js';
import styles from './app-frame.module.css';
import { useNewAlarms } from './new-alarms.js';

const LOOK_MS = 10_000;
const MOST = 100;

export function NavigationCount({ to }: { readonly to: string }) {
  if (to === '/') return <ApprovalsCount />;
  if (to === '/freezes') return <FreezesCount />;
  return to === '/operations' ? <AlarmsCount /> : null;
}

function ApprovalsCount() {
  const query = { awaiting_my_approval: 'true', limit: String(MOST) } as const;
  const { rows } = useRows('list-requests', { query }, { everyMs: LOOK_MS });
  return <Count count={rows.length} what="wait for you" />;
}

function FreezesCount() {
  const { rows } = useRows(
    'list-freezes',
    { query: { limit: String(MOST) } },
    { everyMs: LOOK_MS, stopsWhereRefused: true },
  );
  return <Count count={rows.length} what="in force" />;
}

function AlarmsCount() {
  return <Count count={useNewAlarms()} what="new alarms" />;
}

function Count({ count, what }: { readonly count: number; readonly what: string }) {
  if (count === 0) return null;
  return (
    <span className={styles.count}>
      {count >= MOST ? `${MOST}+` : count}
      <Unseen> {what}</Unseen>
    </span>
  );
}
