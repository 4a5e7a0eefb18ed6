/** An id or a hash on one line, with a button that copies the whole of it. What has no room is cut off, never wrapped. */
import { useState, type ReactNode } from 'react';
import styles from './copyable-id.module.css';
import { Unseen } from './pieces.js';

interface CopyableIdProps {
  readonly text: string;
  /** As in “Copy the request id”. */
  readonly what: string;
  /** What is shown of it; absent: all that there is room for. */
  readonly children?: ReactNode;
}

export function CopyableId({ text, what, children }: CopyableIdProps) {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      setSaid('This browser does not let a page copy: select the text.');
    }
  };
  return (
    <span className={`${styles.id} ${children === undefined ? '' : styles.short}`}>
      <code title={text}>{children ?? text}</code>
      <button
        type="button"
        className={styles.copy}
        aria-label={`Copy the ${what}`}
        title={`Copy the ${what}`}
        onClick={() => void copy()}
      >
        {said === 'Copied.' ? <CheckMark /> : <TwoSheets />}
      </button>
      <span role="status">{said === 'Copied.' ? <Unseen>{said}</Unseen> : said}</span>
    </span>
  );
}

function TwoSheets() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
    </svg>
  );
}

function CheckMark() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <path d="M2.5 8.5l3.5 3.5 7.5-8" />
    </svg>
  );
}
