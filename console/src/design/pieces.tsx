/** Small pieces that every screen is made of. */
import { cloneElement, useEffect, useId, type ReactElement, type ReactNode } from 'react';
import styles from './layout.module.css';
import { MoodIcon, type Mood } from './mood-icon.js';
import { useNow } from './page-clock.js';
import { relativeWords } from './relative-words.js';
import { visibleText } from './visible-text.js';

interface WithChildren {
  readonly children: ReactNode;
}

/** A screen: its title is the page's, too, and is where a screen reader begins. */
export function Screen({
  title,
  children,
  lead,
}: WithChildren & { readonly title: string; readonly lead?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Countersign`;
  }, [title]);
  return (
    <div className={styles.stack}>
      <h1 tabIndex={-1}>{title}</h1>
      {lead !== undefined && <p className={styles.quiet}>{lead}</p>}
      {children}
    </div>
  );
}

export function Panel({ children, title }: WithChildren & { readonly title?: string }) {
  return (
    <section className={styles.panel} aria-label={title}>
      {title !== undefined && <h2>{title}</h2>}
      {children}
    </section>
  );
}

export function Row({ children }: WithChildren) {
  return <div className={styles.row}>{children}</div>;
}

export function Quiet({ children }: WithChildren) {
  return <p className={styles.quiet}>{children}</p>;
}

export function Badge({ children, mood = 'plain' }: WithChildren & { readonly mood?: Mood }) {
  return (
    <span className={`${styles.badge} ${styles[mood] ?? ''}`}>
      <MoodIcon mood={mood} />
      <span>{children}</span>
    </span>
  );
}

export function Facts({ children }: WithChildren) {
  return <dl className={styles.facts}>{children}</dl>;
}

export function Fact({ name, children }: WithChildren & { readonly name: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Text of several lines, as it is. */
export function Block({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre className={styles.block} tabIndex={0} aria-label={label}>
      {visibleText(text)}
    </pre>
  );
}

/** What most do not look at: shown once its name is pressed. */
export function Disclosure({ children, title }: WithChildren & { readonly title: string }) {
  return (
    <details className={styles.disclosure}>
      <summary>{title}</summary>
      <div className={styles.stack}>{children}</div>
    </details>
  );
}

/** Read out, where it stands beside what says it to the eye. */
export function Unseen({ children }: WithChildren) {
  return <span className={styles.unseen}>{children}</span>;
}

/** What somebody called something. */
export function Name({ text }: { readonly text: string }) {
  return <bdi>{visibleText(text)}</bdi>;
}

interface FieldProps {
  readonly label: string;
  /** One input, select or textarea. */
  readonly children: ReactElement<{ readonly id?: string }>;
}

export function Field({ label, children }: FieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, { id })}
    </div>
  );
}

interface TimeProps {
  /** RFC 3339. */
  readonly at: string;
  /** Day and clock in sight, too, where somebody compares them. */
  readonly isExact?: boolean;
}

const DATE = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const CLOCK = {
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
} as const;

/**
 * As somebody would say it, with day and clock when it is pointed at: in the reader's own time zone, which is named, with
 * the seconds.
 */
export function Time({ at, isExact = false }: TimeProps) {
  const now = useNow();
  const moment = new Date(at);
  const exact = dateAndClockOf(moment);
  const words = relativeWords(moment.getTime(), now)?.replaceAll(' ', '\u00a0');
  return (
    <time dateTime={at} title={`${exact} (${at})`}>
      {words === undefined || !isExact ? (words ?? exact) : `${exact} · ${words}`}
    </time>
  );
}

/** At most two lines where there is little room: the day is not torn apart, nor is the clock. */
function dateAndClockOf(at: Date): string {
  const parts = [at.toLocaleDateString(undefined, DATE), at.toLocaleTimeString(undefined, CLOCK)];
  return parts.map((part) => part.replaceAll(' ', '\u00a0')).join(', ');
}
