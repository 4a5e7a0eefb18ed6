/** A modal dialog: focus stays inside, Escape closes, and what is behind it is out of reach. */
import { useEffect, useRef, type ReactNode } from 'react';
import { Dialog as AriaDialog, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from './button.js';
import styles from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly onClose: () => void;
}

export function Dialog({ title, children, onClose }: DialogProps) {
  return (
    <ModalOverlay isOpen className={styles.backdrop!} onOpenChange={onClose}>
      <Modal className={styles.dialog!}>
        <AriaDialog className={styles.content!}>
          <div className={styles.head}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <Button onPress={onClose}>Close</Button>
          </div>
          <Body key={title}>{children}</Body>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Whoever has something to fill in begins there; what comes after it is read out from its title. */
function Body({ children }: Pick<DialogProps, 'children'>) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = element.current?.querySelector<HTMLElement>(
      'input, textarea, [aria-haspopup="listbox"]',
    );
    (first ?? element.current?.parentElement)?.focus();
  }, []);
  return (
    <div ref={element} className={styles.body}>
      {children}
    </div>
  );
}

/** What to press once all is filled in: in a dialog always in sight. Elsewhere it stands where it is. */
export function DialogEnd({ children }: Pick<DialogProps, 'children'>) {
  return <div className={styles.end}>{children}</div>;
}
