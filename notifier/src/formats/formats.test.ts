/** Messages in the shapes that the services document, without buttons, and with no text of users that could lead away. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { EVENT_TYPES, type EventType } from '@countersign/api/requests/webhooks.js';
import { EMPTY_STATE, type User } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import { noticeOf } from './notice.js';
import { letterOf, type MailTarget } from './mail.js';
import { messageFor, readTargets, type ServiceTarget } from './targets.js';

const REQUEST = '6a5b4c3d-2e1f-80a9-9b8c-7d6e5f4a3b2c';
const WEBHOOK = '71f0a9b8-1c2d-8e3f-9405-a6b7c8d9e0f1';
const CONSOLE = 'https://vault.example.com/console/';
const LINK = `${CONSOLE}requests/${REQUEST}`;

const TARGETS = {
  slack: { format: 'slack', path: '/services/T0/B0/x' },
  telegram: { format: 'telegram', bot_token: '1:abc', chat_id: '-1001' },
  pagerduty: { format: 'pagerduty', routing_key: 'a'.repeat(32) },
} as const satisfies Record<string, ServiceTarget>;

const MAIL: MailTarget = {
  format: 'mail',
  host: 'smtp.example.com',
  port: 587,
  tls: 'starttls',
  user: 'vault',
  password: 'p',
  from: 'vault@example.com',
  to: ['ada@example.com'],
};

/** As each service documents it. Buttons would be `attachments`, `blocks`, `reply_markup`: none is allowed here. */
const SHAPES: Record<keyof typeof TARGETS, z.ZodType> = {
  slack: z.strictObject({
    text: z.string().min(1).max(40_000),
    unfurl_links: z.literal(false),
    unfurl_media: z.literal(false),
  }),
  telegram: z.strictObject({
    chat_id: z.string(),
    text: z.string().min(1).max(4_096),
    link_preview_options: z.strictObject({ is_disabled: z.literal(true) }),
  }),
  pagerduty: z.strictObject({
    routing_key: z.string().length(32),
    event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
    dedup_key: z.string().min(1).max(255),
    payload: z.strictObject({
      summary: z.string().min(1).max(1_024),
      source: z.string().min(1),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime(),
      class: z.string(),
    }),
    links: z.array(z.strictObject({ href: z.url(), text: z.string() })),
  }),
};

const userNamed = (displayName: string) =>
  ({ id: 'u', displayName, type: 'machine', apiKeySha256: 'x' }) as unknown as User;

const stateWith = (name = 'Ada') => ({
  ...EMPTY_STATE,
  vaultId: WEBHOOK,
  users: insertRow(EMPTY_STATE.users, userNamed(name)),
});

const eventOf = (type: EventType) => ({
  id: 'e',
  type,
  at: 1_800_000_000_000,
  data: { request_id: REQUEST, by: 'u', operation: 'create-signing-policy' },
});

const said = (
  target: ServiceTarget,
  type: EventType = 'request.awaiting_approval',
  name?: string,
) => {
  const event = eventOf(type);
  return messageFor(target, noticeOf(event, stateWith(name), CONSOLE), event);
};

describe.each(Object.keys(TARGETS) as (keyof typeof TARGETS)[])('a message for %s', (service) => {
  it.each(EVENT_TYPES)('of %s has the documented shape', (type) => {
    const { body } = said(TARGETS[service], type);
    expect(SHAPES[service].safeParse(body).error).toBeUndefined();
  });

  it('says who asks for what, and links to the request', () => {
    const text = JSON.stringify(said(TARGETS[service]).body);
    expect(text).toContain('Ada asks for \\"create signing policy\\". It waits for approvals.');
    expect(text).toContain(LINK);
  });

  it('has nothing of a name that could be a link, a mention or markup', () => {
    const name = 'go to https://evil.example <!channel> @all *now* evil.example \u202e';
    const text = JSON.stringify(said(TARGETS[service], undefined, name).body);
    expect(text.replaceAll(LINK, '')).not.toMatch(/:\/\/|evil\.|[<*@\u202e]|&[lg]t;/);
  });
});

it('a letter says who asks for what, and links to the request', () => {
  const event = eventOf('request.awaiting_approval');
  const letter = letterOf(
    MAIL,
    noticeOf(event, stateWith('Ada\r\nBcc: e@evil.example'), CONSOLE),
    event,
  );
  expect(letter.subject).toMatch(/Ada··Bcc· e·evil·example asks for "create signing policy"\./);
  expect(letter).toMatchObject({
    messageId: '<e@smtp.example.com>',
    text: `${letter.subject}\n\n${LINK}\n`,
  });
});

it('secrets stand where the service wants them', () => {
  expect(said(TARGETS.slack).path).toBe('/services/T0/B0/x');
  expect(said(TARGETS.telegram).path).toBe('/bot1:abc/sendMessage');
  expect(said(TARGETS.pagerduty)).toMatchObject({
    path: '/v2/enqueue',
    body: { routing_key: TARGETS.pagerduty.routing_key },
  });
});

it('what waits opens one incident, and its end resolves that', () => {
  const bodyOf = (type: EventType) => said(TARGETS.pagerduty, type).body;
  const opened = { event_action: 'trigger', dedup_key: REQUEST };
  expect(bodyOf('request.awaiting_approval')).toMatchObject(opened);
  for (const end of ['approved', 'rejected', 'cancelled', 'expired'] as const) {
    expect(bodyOf(`request.${end}`)).toMatchObject({ event_action: 'resolve', dedup_key: REQUEST });
  }
  expect(bodyOf('freeze.changed')).toMatchObject({ event_action: 'trigger', dedup_key: 'e' });
});

it('nothing links anywhere where no console is named', () => {
  const notice = noticeOf(eventOf('request.approved'), stateWith(), undefined);
  expect(notice).not.toHaveProperty('link');
});

describe('the file of targets', () => {
  const fileOf = (value: unknown, mode = 0o600) => {
    const file = join(mkdtempSync(join(tmpdir(), 'targets-')), 'targets.json');
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value), { mode });
    return file;
  };
  const row = (more: object = {}) => ({ webhook_id: WEBHOOK, ...TARGETS.slack, ...more });

  it('is read by webhook', () => {
    const targets = [...Object.values(TARGETS), MAIL];
    const rows = targets.map((target, at) => ({
      ...{ webhook_id: WEBHOOK.replace(/.$/, String(at)) },
      ...target,
    }));
    expect([...readTargets(fileOf({ targets: rows })).values()]).toEqual(targets);
    expect(readTargets(undefined).size).toBe(0);
  });

  it.each<[string, unknown]>([
    [
      'a path that leads to another host',
      { targets: [row({ path: '//evil.example/services/x' })] },
    ],
    ['a path with a step up', { targets: [row({ path: '/services/../x' })] }],
    ['one webhook twice', { targets: [row(), row()] }],
    ['an unknown field', { targets: [row({ secret_word: 'hush' })] }],
    ['another format', { targets: [row({ format: 'fax' })] }],
    ['a letter to nobody', { targets: [{ ...MAIL, webhook_id: WEBHOOK, to: [] }] }],
    [
      'two heads in one',
      { targets: [{ ...MAIL, webhook_id: WEBHOOK, from: 'a@b.c\nBcc: hush@e.f' }] },
    ],
    ['no JSON', '{"targets": hush'],
  ])('with %s is refused, and the error tells nothing of it', (_what, value) => {
    let message = '';
    try {
      readTargets(fileOf(value));
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).not.toBe('');
    expect(message).not.toMatch(/hush|evil/);
  });

  it('that others can read is refused', () => {
    expect(() => readTargets(fileOf({ targets: [] }, 0o644))).toThrow('chmod 600');
  });
});
