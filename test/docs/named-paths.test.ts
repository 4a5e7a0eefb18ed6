/** What the documents name is there: a reader who follows a path or a link arrives. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { repoPaths } from '../support/repo-files.ts';

const PATHS = repoPaths();
const DOCUMENTS = PATHS.filter((path) =>
  /^(([A-Z]+|docs\/.+|(client|client\/\w+|console)\/README)\.md|llms\.txt)$/.test(path),
);
const ROOM = /^(shared|gateway|signer|notifier|client|infra|workshop|test|docs)\//;
/** Files that a reader makes, or that the programs make while they run. */
const MADE_LATER = new Set([
  'order.mjs',
  'genesis.json',
  'receipt.json',
  'party-1.json',
  'webhook-keys.json',
  'secret.txt',
]);

/** What stands in backticks and looks like a path: it begins with a folder of ours, or ends like a file. */
function pathsIn(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, token]) => token!);
  return quoted.filter(
    (token) =>
      /^[\w.*{}<>/-]+$/.test(token) &&
      !/^\.countersign\/|^\/|[<>{}]|\/(dist|bundle)\//.test(token) &&
      (ROOM.test(token) || /\.(ts|mjs|md|sh|json|pem|yml)$/.test(token)),
  );
}

/** A path from the root, or the end of one where it does not begin with a folder of ours. */
function isThere(token: string): boolean {
  const star = token.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replace(/\/$/, '');
  const pattern = new RegExp(ROOM.test(token) ? `^${star}/?$` : `(^|/)${star}$`);
  return PATHS.some((path) => pattern.test(path));
}

function linksIn(document: string, text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)/g)].map(([, target]) =>
    posix.normalize(posix.join(posix.dirname(document), target!)),
  );
}

/** The anchors of a page's headings, as code hosts make them. */
function anchorsOf(path: string): string[] {
  const headings = [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

test('the documents are found', () => {
  expect(DOCUMENTS).toEqual(
    expect.arrayContaining(['README.md', 'CONTRIBUTING.md', 'SECURITY.md']),
  );
});

describe.each(DOCUMENTS)('%s', (document) => {
  const text = readFileSync(document, 'utf8');

  test('names no path that is not there', () => {
    const missing = pathsIn(text).filter((token) => !MADE_LATER.has(token) && !isThere(token));
    expect(missing).toEqual([]);
  });

  test('links to nothing that is not there', () => {
    expect(linksIn(document, text).filter((path) => !PATHS.includes(path))).toEqual([]);
  });

  test('links to headings that are there', () => {
    const anchored = [...text.matchAll(/\]\(([^)#\s]*\.md)?#([^)]+)\)/g)].map(
      ([, path, anchor]) => ({
        page: path === undefined ? document : posix.join(posix.dirname(document), path),
        anchor,
      }),
    );
    const missing = anchored.filter(({ page, anchor }) => !anchorsOf(page).includes(anchor!));
    expect(missing).toEqual([]);
  });
});
