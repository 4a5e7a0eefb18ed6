import { Link } from '@tanstack/react-router';
import styles from './first-steps.module.css';

export function FirstStepsTabs() {
  return (
    <nav aria-label="First steps for whom" className={styles.tabs}>
      <Link to="/start" activeOptions={{ exact: true }}>
        As an operator
      </Link>
      <Link to="/start/bot">As a bot</Link>
    </nav>
  );
}
