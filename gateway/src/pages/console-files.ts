/** The built console, read once at the start: no request reads a file, and no path of a request reaches the disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface ConsoleFile {
  readonly contentType: string;
  /** Whether its name has a hash of its content, so that it never changes. */
  readonly isImmutable: boolean;
  readonly body: Buffer;
  /** Compresses on the first call. */
  compressed(): Promise<Buffer>;
}

/** Files by their path inside the folder, separated by `/`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** The types of file that a build may hold; nothing else in the folder is served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** The page itself, for every screen. */
export const CONSOLE_PAGE = 'index.html';

/**
 * Empty if there is no such folder. Links are not followed. `contentTypes`: accepted file endings, with their types.
 */
export function readConsoleFiles(
  folder: string,
  contentTypes: Readonly<Record<string, string>> = CONTENT_TYPES,
): ConsoleFiles {
  return new Map(
    filesIn(folder).flatMap((path) => {
      const contentType = contentTypes[extname(path)];
      if (contentType === undefined) return [];
      const name = relative(folder, path).split(sep).join('/');
      return [[name, consoleFile(contentType, name, readFileSync(path))]];
    }),
  );
}

export function consoleFile(contentType: string, name: string, body: Buffer): ConsoleFile {
  let compressing: Promise<Buffer> | undefined;
  return {
    contentType,
    isImmutable: name.startsWith('assets/'),
    body,
    compressed: () => (compressing ??= promisify(gzip)(body)),
  };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
