import { visibleText } from '../design/visible-text.js';
import styles from './fault.module.css';
import { VaultError } from './vault-queries.js';

/** What went wrong, with what to do where that is known. */
export function Fault({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <p role="alert" className={styles.fault}>
      {visibleText(error instanceof Error ? error.message : 'something went wrong')}
      {error instanceof VaultError && error.error.errType === 'unreachable' && (
        <> Nothing is known of what was asked: look before you ask again.</>
      )}
    </p>
  );
}
