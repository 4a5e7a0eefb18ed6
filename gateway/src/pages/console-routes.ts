/**
 * Serves the console below `/console/`: its files, and its one page for every other path there, which the page itself
 * interprets. Whoever asks for the gateway's root is led there.
 */
import { refuse } from '@countersign/core/errors.js';
import type { IdentityProvider } from '@countersign/runtime/tokens/identity-providers.js';
import { sendRefusal } from '../http/error-response.js';
import type { Route } from '../http/route.js';
import { CONSOLE_PAGE, type ConsoleFile, type ConsoleFiles } from './console-files.js';
import { consoleHeaders } from './console-policy.js';
import { sendFile } from './send-file.js';

const PREFIX = '/console/';
const NO_CONSOLE = refuse('not_found', 'this gateway was started without a built console');
const NO_FILE = refuse('not_found', 'the console has no such file');

export interface ConsoleParts {
  readonly files: ConsoleFiles;
  readonly providers: readonly IdentityProvider[];
}

/** They need no credential: the files are public, and the page reads its data with one. */
export function consoleRoutes({ files, providers }: ConsoleParts): Route[] {
  const headers = Object.entries(consoleHeaders(providers));
  const get = (path: string, handle: Route['handle']): Route => ({ method: 'GET', path, handle });
  const serve: Route['handle'] = async (request, response) => {
    request.resume();
    for (const [name, value] of headers) response.setHeader(name, value);
    const file = fileFor(files, request.path);
    if (file === undefined) sendRefusal(response, files.size === 0 ? NO_CONSOLE : NO_FILE);
    else await sendFile(response, file);
  };
  const leadThere =
    (status: 307 | 308): Route['handle'] =>
    async (request, response) => {
      request.resume();
      response.writeHead(status, { location: PREFIX, 'content-length': 0 }).end();
    };
  return [
    // a browser would remember 308 for whatever is served at `http://localhost:8080/` later
    get('/', leadThere(307)),
    get('/console', leadThere(308)),
    get(PREFIX, serve),
    get(`${PREFIX}*rest`, serve),
  ];
}

/** `path`: as in the request line; file names need no decoding. */
function fileFor(files: ConsoleFiles, path: string): ConsoleFile | undefined {
  const name = path.slice(PREFIX.length);
  return files.get(name) ?? (name.startsWith('assets/') ? undefined : files.get(CONSOLE_PAGE));
}
