/** A button that says why it cannot be pressed: it stays reachable by keyboard, and its reason is read with it. */
import { useId, type ReactNode } from 'react';
import styles from './button.module.css';

interface ButtonProps {
  readonly children: ReactNode;
  readonly onPress?: () => void;
  readonly kind?: 'plain' | 'main' | 'danger';
  readonly type?: 'button' | 'submit';
  /** Absent: it can be pressed. */
  readonly disabledBecause?: string | undefined;
}

export function Button(props: ButtonProps) {
  const { children, onPress, kind = 'plain', type = 'button', disabledBecause } = props;
  const reasonId = useId();
  const isDisabled = disabledBecause !== undefined;
  return (
    <span>
      <button
        // oxlint-disable-next-line react/button-has-type
        type={isDisabled ? 'button' : type}
        className={`${styles.button} ${kind === 'plain' ? '' : styles[kind]}`}
        aria-disabled={isDisabled}
        aria-describedby={isDisabled ? reasonId : undefined}
        onClick={isDisabled ? undefined : onPress}
      >
        {children}
      </button>
      {isDisabled && (
        <span id={reasonId} className={styles.reason}>
          {disabledBecause}
        </span>
      )}
    </span>
  );
}
