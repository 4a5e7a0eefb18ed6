import { visibleText } from '../design/visible-text.js';
import styles from './fault.module.css';
import { VaultError } from './vault-queries.js';

/** What went wrong, with what to do where that is known: an error, or what this page says itself. */
export function Fault({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p role="alert" className={styles.fault}>
      {visibleText(messageOf(error))}
      {error instanceof VaultError && error.error.errType === 'unreachable' && (
        <> The outcome is unknown: look before you ask again.</>
      )}
    </p>
  );
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  return error instanceof Error ? error.message : 'something went wrong';
}
