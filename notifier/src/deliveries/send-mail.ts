/** Makes one attempt to hand a letter to a mail server (RFC 5321). */
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createTransport, type NodemailerError } from 'nodemailer';
import type { Letter, MailTarget } from '../formats/mail.js';
import type { Attempt } from './delivery-schedule.js';

/** Of each step of the session. */
const ANSWER_WITHIN_MS = 10_000;
/** Of all of it: a server that sends a byte now and then would hold up every later letter. */
const SENT_WITHIN_MS = 30_000;

/** RFC 5321 section 4.2.1: from here on a server's refusal is final. */
const FINAL = 500;

export interface Mailing extends Letter, Omit<MailTarget, 'format'> {
  /** The only address that is connected to, whatever the host resolves to by now. */
  readonly address: string;
}

/** Never rejects. Nothing of the server's words is kept: they may quote what was sent. */
export async function sendMail(
  mailing: Mailing,
  withinMs: number = SENT_WITHIN_MS,
): Promise<Attempt> {
  const ended = new AbortController();
  const isLate = setTimeout(withinMs, undefined, { signal: ended.signal }).then((): Attempt => ({
    kind: 'unanswered',
    reason: 'ETIMEDOUT',
  }));
  try {
    return await Promise.race([handOver(mailing), isLate]);
  } finally {
    isLate.catch(() => undefined);
    ended.abort();
  }
}

async function handOver(mailing: Mailing): Promise<Attempt> {
  const { host, address, port, tls, user, password: pass } = mailing;
  const { from, to, messageId, subject, text } = mailing;
  const transport = createTransport({
    host: address,
    port,
    secure: tls === 'implicit',
    requireTLS: true,
    // the certificate is for the name, not for the address
    tls: isIP(host) === 0 ? { servername: host } : {},
    auth: { user, pass },
    connectionTimeout: ANSWER_WITHIN_MS,
    greetingTimeout: ANSWER_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
  });
  try {
    const { rejected } = await transport.sendMail({ from, to: [...to], messageId, subject, text });
    if (rejected.length === 0) return { kind: 'answered', status: 250 };
    return { kind: 'refused', reason: `${rejected.length} of ${to.length} receivers were refused` };
  } catch (error) {
    return attemptOf(error as NodemailerError);
  } finally {
    transport.close();
  }
}

function attemptOf({ responseCode, code, name }: NodemailerError): Attempt {
  if (responseCode === undefined) return { kind: 'unanswered', reason: code ?? name };
  const kind = responseCode >= FINAL ? 'refused' : 'unanswered';
  return { kind, reason: `the mail server answered ${responseCode}` };
}
