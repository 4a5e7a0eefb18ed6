/** Filters of the audit log, and those that somebody keeps in this browser: names and filters, and no secret. */
import { localMinute } from '../../design/local-minute.js';

export const OUTCOMES = ['', 'allowed', 'denied', 'failed'] as const;

/** As texts of a form; empty for none. */
export interface AuditFilters {
  readonly outcome: string;
  /** Operation ids after commas. */
  readonly actions: string;
  /** Ids after commas. */
  readonly user_ids: string;
  readonly key_ids: string;
  readonly vault_ids: string;
  /** Addresses after commas. */
  readonly wallet_addresses: string;
  readonly request_id: string;
  /** Local time, as a `datetime-local` field gives it. */
  readonly from: string;
  readonly to: string;
}

/** Filters that the page of a user, key, vault, request or freeze leads here with, and that of all requests. */
const AUDIT_SUBJECTS = [
  'actions',
  'user_ids',
  'key_ids',
  'vault_ids',
  'wallet_addresses',
  'request_id',
  'outcome',
  'from',
] as const;
type AuditSubjects = Partial<Pick<AuditFilters, (typeof AUDIT_SUBJECTS)[number]>>;

/** Of the page's address, whatever somebody put there: nothing else of it becomes a filter. */
export function subjectsOfSearch(search: Readonly<Record<string, unknown>>): AuditSubjects {
  const stated = AUDIT_SUBJECTS.filter((name) => {
    const text = search[name];
    if (typeof text !== 'string') return false;
    // no address hides a refusal
    if (name === 'outcome') return text === 'denied';
    return name !== 'from' || !Number.isNaN(Date.parse(text));
  });
  return Object.fromEntries(stated.map((name) => [name, search[name]])) as AuditSubjects;
}

/** Filters of several words after commas, each of which is found by a name. */
export const LIST_FILTERS = [
  'user_ids',
  'key_ids',
  'vault_ids',
  'wallet_addresses',
  'actions',
] as const;
export type ListFilter = (typeof LIST_FILTERS)[number];

/** The words of a text after commas, each once: what the vault knows by none of them it refuses. */
export function wordsIn(text: string): readonly string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].filter((word) => word !== '');
}

/** With one word more beside those that the filter had. */
export function withWord(
  filters: AuditFilters,
  name: ListFilter,
  word: string,
): Partial<AuditFilters> {
  return { [name]: wordsIn(`${filters[name]},${word}`).join(',') };
}

export function withoutWord(
  filters: AuditFilters,
  name: ListFilter,
  word: string,
): Partial<AuditFilters> {
  const left = wordsIn(filters[name]).filter((one) => one !== word);
  return { [name]: left.join(',') };
}

export interface SavedFilters {
  readonly name: string;
  readonly filters: AuditFilters;
}

export const NO_FILTERS: AuditFilters = {
  outcome: '',
  actions: '',
  user_ids: '',
  key_ids: '',
  vault_ids: '',
  wallet_addresses: '',
  request_id: '',
  from: '',
  to: '',
};

const NAMES = Object.keys(NO_FILTERS) as (keyof AuditFilters)[];
const KEPT = 'countersign.audit-filters';
const MOST_KEPT = 20;

/** As the API takes them. */
export function queryOf(filters: AuditFilters): Record<string, string> {
  const stated = NAMES.flatMap((name) => {
    const text = filters[name].trim();
    if (text === '') return [];
    const isMoment = name === 'from' || name === 'to';
    return [[name, isMoment ? new Date(text).toISOString() : text.replaceAll(/\s+/g, '')]];
  });
  return Object.fromEntries(stated) as Record<string, string>;
}

/** What is there is whatever somebody put there: what is no filter is left out. */
export function savedFrom(text: string | null): SavedFilters[] {
  try {
    const kept: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(kept) ? kept.flatMap(readSaved).slice(0, MOST_KEPT) : [];
  } catch {
    return [];
  }
}

function readSaved(value: unknown): SavedFilters[] {
  const { name, filters } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (typeof name !== 'string' || typeof filters !== 'object' || filters === null) return [];
  const texts = NAMES.map((field) => {
    const text = (filters as Record<string, unknown>)[field];
    return [field, typeof text === 'string' ? text : ''];
  });
  return [{ name, filters: Object.fromEntries(texts) as unknown as AuditFilters }];
}

const DAY_MS = 86_400_000;

/** Up to now; `offsetMinutes` as `Date.getTimezoneOffset` gives it. */
export function ofLastDays(
  days: number,
  now: number,
  offsetMinutes: number,
): Pick<AuditFilters, 'from' | 'to'> {
  return { from: localMinute(now - days * DAY_MS, offsetMinutes), to: '' };
}

/** One of the same name is replaced. */
export function withSaved(saved: readonly SavedFilters[], one: SavedFilters): SavedFilters[] {
  return [one, ...saved.filter(({ name }) => name !== one.name)].slice(0, MOST_KEPT);
}

export function keptFilters(): SavedFilters[] {
  return savedFrom(localStorage.getItem(KEPT));
}

export function keepFilters(saved: readonly SavedFilters[]): void {
  localStorage.setItem(KEPT, JSON.stringify(saved));
}
