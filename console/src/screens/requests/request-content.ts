/**
 * What a request says, read from the very bytes that an approval is for, and the digest of it computed here: so that
 * what is shown and what is approved cannot be two things.
 */
import { approvalDigest } from '@countersign/core/approval.js';
import { readableJson, visibleText } from '../../design/visible-text.js';
import type { RequestRecord } from './shown-record.js';

type SignedContent = NonNullable<RequestRecord['content']>;

/** Hex; undefined where the record has nothing that waits. */
export function digestOf({ content, created_by: requester }: RequestRecord): string | undefined {
  if (content === undefined) return undefined;
  const { transcript, method, path, query, body } = content;
  return approvalDigest({
    transcript: Buffer.from(transcript, 'hex'),
    requester,
    method,
    path,
    query,
    body: Buffer.from(body, 'base64'),
  }).toString('hex');
}

/** All that is signed for, as it was sent: method, path, query and body. */
export function contentTextOf(content: SignedContent): string {
  const { method, path, query } = content;
  return `${method} ${path}${query === '' ? '' : `?${query}`}\n\n${bodyTextOf(content)}`;
}

/** Body of the request: JSON on several lines where it is JSON; text where it is that; otherwise base64. */
function bodyTextOf({ body }: SignedContent): string {
  const bytes = Buffer.from(body, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? readableJson(text) : body;
}

const RAW = /\/raw-sign(?:-batch)?$/;

/** The very bytes that are to be signed, where the request holds them as they are; undefined elsewhere. */
export function messageOf(record: Asked): Buffer | undefined {
  if (!RAW.test(record.content?.path ?? '')) return undefined;
  const { message, message_encoding: encoding = 'base64' } = askedIn(record);
  const isKnown = encoding === 'base64' || encoding === 'hex' || encoding === 'utf8';
  return typeof message === 'string' && isKnown ? Buffer.from(message, encoding) : undefined;
}

/** A raw message as the text that it is; undefined where it is none, or there is no message. */
export function messageTextOf(record: Asked): string | undefined {
  const bytes = messageOf(record);
  const text = bytes?.toString('utf8') ?? '';
  return text !== '' && Buffer.from(text, 'utf8').equals(bytes!) ? text : undefined;
}

/** Whether a request to a venue is in it. */
export function asksVenue(record: Asked): boolean {
  return askedIn(record)['venue_request'] !== undefined;
}

/** Whether a transaction of a chain is in it. */
export function asksTransaction(record: Asked): boolean {
  return askedIn(record)['transaction'] !== undefined;
}

/** One line for lists: what a venue or a chain would do where the gateway could read it; otherwise the operation. */
export function summaryOf(record: Pick<RequestRecord, 'operation' | 'facts'> & Asked): string {
  const { operation, facts } = record;
  const act = operation.replaceAll('-', ' ');
  const read = facts === undefined ? [] : wordsOf(facts);
  if (read.length === 0) return visibleText(act + subjectIn(record));
  return visibleText([facts?.operation_class ?? act, ...read].join(' · '));
}

function wordsOf(facts: NonNullable<RequestRecord['facts']>): string[] {
  const words = [
    facts.venue_id ?? facts.network_id,
    facts.sides?.join(', '),
    facts.amounts?.join(', '),
    facts.symbols?.join(', '),
    facts.destinations?.length ? `to ${facts.destinations.join(', ')}` : undefined,
  ];
  return words.filter((word): word is string => word !== undefined && word !== '');
}

/** Long enough to tell one request of a list from another. */
const MOST_WORDS = 72;

/** What the thing is to be called, what is asked of the venue, or the message: where the content says so. */
function subjectIn(record: Asked): string {
  const { display_name: name, venue_request: asked } = askedIn(record);
  if (typeof name === 'string') return ` “${name}”`;
  if (typeof asked === 'object' && asked !== null) {
    const { method, path, query, body } = asked as Readonly<Record<string, unknown>>;
    const words = [method, path, query, body].filter((word) => typeof word === 'string');
    return ` · ${shortened(words.join(' '))}`;
  }
  const message = messageTextOf(record);
  return message === undefined ? '' : ` · “${shortened(message)}”`;
}

function shortened(text: string): string {
  return text.length <= MOST_WORDS ? text : `${text.slice(0, MOST_WORDS)}…`;
}

/** Whose signature is asked for, as the path says it; undefined where none is. */
export type Signer =
  | { readonly keyId: string }
  | { readonly vaultId: string; readonly address: string };

const SIGNERS =
  /^\/v1\/(?:keys\/([^/]+)|vaults\/([^/]+)\/wallets\/([^/]+))\/(?:raw-)?sign(?:-batch)?$/;

export function signerOf({ path }: SignedContent): Signer | undefined {
  const [, keyId, vaultId, address] = SIGNERS.exec(path) ?? [];
  if (keyId !== undefined) return { keyId };
  return vaultId === undefined || address === undefined ? undefined : { vaultId, address };
}

/** Of which a record tells what was asked for. */
export type Asked = Pick<RequestRecord, 'content' | 'batch'>;

/**
 * The members of what was asked for. Of an item of a batch they are those that it would have alone: what the batch lists
 * at its place stands for it.
 */
export function askedIn({ content, batch }: Asked): Readonly<Record<string, unknown>> {
  const body = content === undefined ? {} : bodyOf(content);
  if (batch === undefined) return body;
  const own = (name: string): unknown => {
    const list = body[name];
    return Array.isArray(list) ? (list as unknown[])[batch.index] : undefined;
  };
  const { venue_requests: _orders, transactions: _transfers, messages: _texts, ...rest } = body;
  return {
    ...rest,
    venue_request: own('venue_requests'),
    transaction: own('transactions'),
    message: own('messages'),
  };
}

/** The members of a body that is a JSON object; none of another. */
function bodyOf({ body }: SignedContent): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'base64').toString('utf8'));
    return (value ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
