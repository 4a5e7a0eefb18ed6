/** Any of some things, as boxes to tick. */
import type { ReactNode } from 'react';
import styles from './choices.module.css';
import { visibleText } from './visible-text.js';

export interface ChoicesProps {
  readonly label: string;
  /** What stands at each box, by what is chosen with it; in this order. */
  readonly options: ReadonlyMap<string, string>;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
  /** Above the boxes. */
  readonly children?: ReactNode;
}

/** What was chosen and is no option stays until it is taken out. */
export function Choices({ label, options, chosen, onChange, children }: ChoicesProps) {
  const all = [...new Set([...options.keys(), ...chosen])];
  return (
    <fieldset className={styles.choices}>
      <legend>{label}</legend>
      {children}
      {all.map((value) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(all.filter((one) => (one === value ? target.checked : chosen.includes(one))))
            }
          />
          {visibleText(options.get(value) ?? value)}
        </label>
      ))}
    </fieldset>
  );
}
