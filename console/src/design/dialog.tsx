/** A modal dialog, as the platform has it: focus stays inside, Escape closes, and what is behind it is out of reach. */
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Button } from './button.js';
import styles from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

export function Dialog({ title, children, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    element.current?.showModal();
    // whoever has something to fill in begins there
    element.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  return (
    <dialog ref={element} className={styles.dialog} aria-labelledby={titleId} onClose={onClose}>
      <div className={styles.head}>
        <h2 id={titleId}>{title}</h2>
        <Button onPress={() => element.current?.close()}>Close</Button>
      </div>
      <div className={styles.body}>{children}</div>
    </dialog>
  );
}

/** What to press once all is filled in: in a dialog always in sight. Elsewhere it stands where it is. */
export function DialogEnd({ children }: Pick<DialogProps, 'children'>) {
  return <div className={styles.end}>{children}</div>;
}
