/** The licences of packages that are bundled into another one, which ask to be passed on. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Throws where a package names no licence at all. `files`: all that was bundled, of packages and others. */
export function licenceNotices(files: readonly string[]): string {
  const folders = files.flatMap((file) => packageFolder(file) ?? []);
  return [...new Set(folders)]
    .toSorted()
    .map(noticeOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Of the innermost package; undefined for what is no package's. */
function packageFolder(file: string): string | undefined {
  return /^\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function noticeOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const texts = readdirSync(folder)
    .filter((name) => /^licen[cs]e/i.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8').trim());
  const { name, version, license } = manifest;
  if (license === undefined && texts.length === 0) throw new Error(`${name} names no licence`);
  return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n') + '\n';
}
