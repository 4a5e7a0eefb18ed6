/** A letter in plain text (RFC 5322), which a mail server of the operator's takes. */
import type { VaultEvent } from '../events/vault-event.js';
import type { Notice } from './notice.js';

export interface MailTarget {
  readonly format: 'mail';
  /** Of the server, and of the webhook's URL: whoever changes that one takes the password nowhere else. */
  readonly host: string;
  readonly port: number;
  /** RFC 8314: from the first byte, or by STARTTLS. Nothing is sent without TLS. */
  readonly tls: 'implicit' | 'starttls';
  readonly user: string;
  readonly password: string;
  readonly from: string;
  readonly to: readonly string[];
}

export interface Letter {
  /** The same at every attempt: a mail program shows a letter that came twice once. */
  readonly messageId: string;
  readonly subject: string;
  readonly text: string;
}

export function letterOf(
  { host }: MailTarget,
  { text, link }: Notice,
  { id }: Pick<VaultEvent, 'id'>,
): Letter {
  const lines = [text, ...(link === undefined ? [] : ['', link])];
  return { messageId: `<${id}@${host}>`, subject: text, text: `${lines.join('\n')}\n` };
}
