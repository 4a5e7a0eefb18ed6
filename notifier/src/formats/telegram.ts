/** A message by a bot of Telegram (core.telegram.org/bots/api#sendmessage): plain text, which has no markup. */
import type { Message } from './message.js';
import type { Notice } from './notice.js';

export interface TelegramTarget {
  readonly format: 'telegram';
  readonly bot_token: string;
  readonly chat_id: string;
}

export function telegramMessage(
  { bot_token: token, chat_id }: TelegramTarget,
  { text, link }: Notice,
): Message {
  const lines = [text, ...(link === undefined ? [] : [link])];
  return {
    path: `/bot${token}/sendMessage`,
    body: { chat_id, text: lines.join('\n'), link_preview_options: { is_disabled: true } },
  };
}
