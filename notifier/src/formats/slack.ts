/** A message by an incoming webhook of Slack (docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). */
import type { Message } from './message.js';
import type { Notice } from './notice.js';

export interface SlackTarget {
  readonly format: 'slack';
  /** Of the webhook's URL: whoever knows it can post there. */
  readonly path: string;
}

export function slackMessage({ path }: SlackTarget, { text, link }: Notice): Message {
  const lines = [text, ...(link === undefined ? [] : [link])].map(escaped);
  return { path, body: { text: lines.join('\n'), unfurl_links: false, unfurl_media: false } };
}

/** The three characters that Slack's markup reserves. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
