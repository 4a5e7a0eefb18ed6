/** Rebuilds the page of bull-board: the original loads fonts from elsewhere and has inline styles. */
import { readFileSync } from 'node:fs';
import type { UIConfig } from '@bull-board/api/dist/types.js';
import { QUEUES_PATH } from '@countersign/api/operations/system-operations.js';
import { consoleFile, type ConsoleFile } from '../pages/console-files.js';

/**
 * Limits what the page may do in a browser. It has the console's origin but foreign code, so it may do less than the
 * console: no windows, no opener, no frames in either direction, no passkeys. Trusted Types are not required, since its
 * scripts load further scripts of their own.
 */
export const BOARD_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'sandbox allow-scripts allow-same-origin',
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy':
    'publickey-credentials-get=(), publickey-credentials-create=(), camera=(), microphone=(), geolocation=(), payment=(), usb=()',
};

/** `template`: bull-board's own page, from which the names of its scripts and styles are taken. */
export function boardPage(template: string, config: UIConfig): ConsoleFile {
  const theirs = readFileSync(template, 'utf8');
  const scripts = namesIn(theirs, /<script defer src="(static\/[\w./-]+\.js)">/g);
  const styles = namesIn(theirs, /<link href="(static\/[\w./-]+\.css)"/g);
  if (scripts.length === 0 || styles.length === 0) {
    throw new Error('the page of bull-board is not as it was: it names no scripts or no styles');
  }
  const told = JSON.stringify(config).replaceAll('<', '\\u003c');
  const page = [
    '<!doctype html>',
    '<html lang="en" dir="ltr">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<base href="${QUEUES_PATH}">`,
    '<title>Queues</title>',
    '<link rel="icon" type="image/svg+xml" href="static/images/logo.svg">',
    ...styles.map((name) => `<link rel="stylesheet" href="${name}">`),
    '</head>',
    '<body>',
    `<script id="__UI_CONFIG__" type="application/json">${told}</script>`,
    '<div id="root"></div>',
    ...scripts.map((name) => `<script defer src="${name}"></script>`),
    '</body>',
    '</html>',
    '',
  ].join('\n');
  return consoleFile('text/html; charset=utf-8', 'index.html', Buffer.from(page));
}

function namesIn(text: string, like: RegExp): string[] {
  return [...text.matchAll(like)].map(([, name]) => name!);
}
