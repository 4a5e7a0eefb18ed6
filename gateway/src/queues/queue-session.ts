/**
 * The cookie by which a browser reads the page of the queues, since a navigation carries no token. It is sealed under
 * the evidence key, so that every gateway of a vault reads it and none stores it. It says only who was let in and until
 * when. Each request asks the ledger whether they may still look.
 */
import type { EvidenceKeys } from '@countersign/core/evidence-seal.js';
import { parseBase64Url } from '@countersign/core/bytes.js';
import * as s from '@countersign/core/shapes.js';
import type { Viewer } from '../read/viewer.js';

/** With this prefix a browser takes it only over TLS, or from its own machine (RFC 6265bis, 4.1.3.1). */
const NAME = '__Secure-countersign-queues';
/** Binds the seal to this purpose, which no other seal has. */
const SEALED_AS = Buffer.from('countersign queue session v1');
/** ms */
export const SESSION_MS = 600_000;
/** A seal has some two hundred bytes. */
const MAX_LENGTH = 2_048;

const session = s.strictObject({
  userId: s.string(),
  credential: s.string(),
  /** ms */
  endsAt: s.int(),
});

export type QueueSession = Viewer & { readonly endsAt: number };

export interface QueueSessions {
  /** A value for `Set-Cookie`. */
  seal(session: QueueSession): string;
  /** The session in the header `cookie`; undefined if there is none, or it has expired. */
  open(cookies: string | undefined): QueueSession | undefined;
}

/** `now`: ms. */
export function createQueueSessions(
  keys: Pick<EvidenceKeys, 'seal' | 'open'>,
  now: () => number,
): QueueSessions {
  return {
    seal(opened) {
      const sealed = keys.seal(Buffer.from(JSON.stringify(opened)), SEALED_AS);
      const lasts = Math.max(0, Math.floor((opened.endsAt - now()) / 1_000));
      const value = `${NAME}=${sealed.toString('base64url')}`;
      return `${value}; Path=/queues; Max-Age=${lasts}; HttpOnly; Secure; SameSite=Strict`;
    },
    open(cookies) {
      const sealed = sealedIn(cookies);
      const opened = sealed && openSeal(keys, sealed);
      return opened === undefined || opened.endsAt <= now() ? undefined : opened;
    },
  };
}

/** Undefined for two cookies: nobody knows which is the gateway's own. */
function sealedIn(cookies = ''): Buffer | undefined {
  const [own, ...others] = cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${NAME}=`));
  if (own === undefined || others.length > 0 || own.length > MAX_LENGTH) return undefined;
  return parseBase64Url(own.slice(NAME.length + 1));
}

/**
 * A seal that does not open is ignored: it was made up, changed, or made under a key that is not held or trusted any
 * more.
 */
function openSeal(keys: Pick<EvidenceKeys, 'open'>, sealed: Buffer): QueueSession | undefined {
  try {
    return session.parse(JSON.parse(keys.open(sealed, SEALED_AS).toString('utf8')));
  } catch {
    return undefined;
  }
}
