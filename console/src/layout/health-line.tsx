/** How the vault is, on every page, in a line. Nothing for who may not look at the system. */
import { Link } from '@tanstack/react-router';
import { MoodIcon } from '../design/mood-icon.js';
import { useRead } from '../vault/vault-queries.js';
import { healthFacts, type HealthFact } from './health-facts.js';
import styles from './health-line.module.css';
import { useNewAlarms } from './new-alarms.js';

const LOOK_MS = 10_000;

export function HealthLine() {
  const { data: figures } = useRead(
    'get-system-operations',
    {},
    { everyMs: LOOK_MS, stopsWhereRefused: true },
  );
  const newAlarms = useNewAlarms();
  if (figures === undefined) return null;
  return (
    <nav className={styles.line} aria-label="Health">
      {healthFacts(figures, newAlarms).map((fact) => (
        <Shown key={fact.name} fact={fact} />
      ))}
    </nav>
  );
}

function Shown({ fact: { name, value, mood } }: { readonly fact: HealthFact }) {
  return (
    <Link
      to={name === 'Freezes' ? '/freezes' : '/operations'}
      className={`${styles.fact} ${styles[mood] ?? ''}`}
    >
      {mood !== 'plain' && <MoodIcon mood={mood} />} <span className={styles.name}>{name}</span>{' '}
      <strong>{value}</strong>
    </Link>
  );
}
