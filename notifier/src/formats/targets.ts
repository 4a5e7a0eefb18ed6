/**
 * Webhooks that speak to a service for people, from the file of the operator. What the service knows the vault by is a
 * secret, so it stands in that file and not in the ledger. Which events go, and to whom, is the ledger's say alone.
 */
import { z } from 'zod';
import { assertPrivateFile } from '@countersign/core/private-file.js';
import { UUID_PATTERN } from '@countersign/core/hash.js';
import { ConfigError, readSecretFile } from '@countersign/runtime/process/config.js';
import type { VaultEvent } from '../events/vault-event.js';
import type { MailTarget } from './mail.js';
import type { Message } from './message.js';
import type { Notice } from './notice.js';
import { pagerDutyMessage, type PagerDutyTarget } from './pagerduty.js';
import { slackMessage, type SlackTarget } from './slack.js';
import { telegramMessage, type TelegramTarget } from './telegram.js';

/** A service that is spoken to by HTTP. */
export type ServiceTarget = SlackTarget | TelegramTarget | PagerDutyTarget;

export type Target = ServiceTarget | MailTarget;

/** By the id of the webhook. */
export type Targets = ReadonlyMap<string, Target>;

const webhook_id = z.string().regex(UUID_PATTERN, 'must be the id of a webhook');

const fileSchema = z.strictObject({
  targets: z
    .array(
      z.discriminatedUnion('format', [
        z.strictObject({
          webhook_id,
          format: z.literal('slack'),
          path: z.string().regex(/^\/services(?:\/\w+)+$/, 'must begin with /services/'),
        }),
        z.strictObject({
          webhook_id,
          format: z.literal('telegram'),
          bot_token: z.string().regex(/^\d+:[\w-]+$/, 'must be a token of a bot'),
          chat_id: z.string().regex(/^(?:-?\d+|@\w+)$/, 'must be a number or @channel'),
        }),
        z.strictObject({
          webhook_id,
          format: z.literal('pagerduty'),
          routing_key: z.string().regex(/^\w{32}$/, 'must have 32 characters'),
        }),
        z.strictObject({
          webhook_id,
          format: z.literal('mail'),
          host: z.hostname().toLowerCase(),
          port: z.int().min(1).max(65_535).default(465),
          tls: z.enum(['implicit', 'starttls']).default('implicit'),
          user: z.string().min(1),
          password: z.string().min(1),
          from: z.email(),
          to: z.array(z.email()).min(1).max(50),
        }),
      ]),
    )
    .max(50),
});

/** Throws for a file that others can read, and for one that is malformed. The error has no value of the file. */
export function readTargets(path: string | undefined): Targets {
  if (path === undefined) return new Map();
  assertPrivateFile(path);
  const parsed = fileSchema.safeParse(jsonOf(path));
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`${path}: ${faults.join('; ')}`);
  }
  const rows = parsed.data.targets.map(({ webhook_id: id, ...target }) => [id, target] as const);
  const targets = new Map<string, Target>(rows);
  if (targets.size < rows.length) throw new ConfigError(`${path}: a webhook stands there twice`);
  return targets;
}

/** What a parser says of a malformed file may quote it. */
function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readSecretFile(path));
  } catch {
    throw new ConfigError(`${path}: is no JSON`);
  }
}

/** Of each service, by its own documents; PagerDuty's second is its European region. */
const HOSTS: Readonly<Record<ServiceTarget['format'], readonly string[]>> = {
  slack: ['hooks.slack.com'],
  telegram: ['api.telegram.org'],
  pagerduty: ['events.pagerduty.com', 'events.eu.pagerduty.com'],
};

/**
 * Whether the webhook leads to the service that knows the target's secret already. Whoever may change webhooks can write
 * any address, and must not be sent the secret.
 */
export function isOfService(target: Target, url: string): boolean {
  const { protocol, host, hostname } = new URL(url);
  // the port of a mail server stands in the file
  if (target.format === 'mail') return hostname === target.host;
  return protocol === 'https:' && HOSTS[target.format].includes(host);
}

export function messageFor(
  target: ServiceTarget,
  notice: Notice,
  event: Pick<VaultEvent, 'id' | 'type' | 'at' | 'data'>,
): Message {
  switch (target.format) {
    case 'slack':
      return slackMessage(target, notice);
    case 'telegram':
      return telegramMessage(target, notice);
    case 'pagerduty':
      return pagerDutyMessage(target, notice, event);
  }
}
