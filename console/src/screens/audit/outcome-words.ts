import type { Mood } from '../../design/mood-icon.js';
import type { AuditEntry } from './chain-check.js';

const MOODS: Readonly<Record<AuditEntry['outcome'], Mood>> = {
  allowed: 'good',
  denied: 'bad',
  failed: 'warn',
};

/** How a page says what came of an entry. What waits has happened to nobody yet: it is not shown as allowed. */
export function outcomeWords({ outcome, details }: Pick<AuditEntry, 'outcome' | 'details'>): {
  readonly mood: Mood;
  readonly words: string;
} {
  const { waits_for: waitsFor } = details;
  return typeof waitsFor === 'string'
    ? { mood: 'plain', words: `waits: ${waitsFor}` }
    : { mood: MOODS[outcome], words: outcome };
}
