/**
 * Uses only the reads of bull-board: nothing else that it can do has a route here. Its functions are called directly,
 * because no Express app may be mounted in another (docs/decisions/0002-express-on-a-server-of-its-own.md).
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  BullBoardRequest,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/dist/types.js';
import { readConsoleFiles, type ConsoleFile, type ConsoleFiles } from '../pages/console-files.js';
import { matchPath } from '@countersign/vault/operations/operation-input.js';
import { boardPage } from './board-page.js';
import { QueueView, type ViewedQueue } from './queue-view.js';

/** Settings of the page, which asks again every five seconds. */
const UI: UIConfig = {
  boardTitle: 'Queues',
  hideRedisDetails: true,
  hideDocsLink: true,
  showWorkers: false,
  showMetrics: true,
  locale: { lng: 'en-US' },
  // the console's session is in the memory of its own tab
  miscLinks: [{ text: 'Console (you sign in anew in this tab)', url: '/console/operations' }],
  pollingInterval: { showSetting: false, forceInterval: 5 },
};

const FILES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** An answer of the page's API; `status` 404 if bull-board knows no such queue or job. */
export interface BoardAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface QueueBoard {
  /** The page itself, or one of its files; undefined for another path. `path`: what follows `/queues/`. */
  findFile(path: string): ConsoleFile | undefined;
  /**
   * Answers the page's reads about these queues; undefined if no read has the path. Rejects when Redis cannot be asked.
   */
  read(asked: BoardRead, queues: readonly ViewedQueue[]): Promise<BoardAnswer | undefined>;
}

/** `path`: the rest after `/queues/`; `query`: as in the target. */
export interface BoardRead {
  readonly path: string;
  readonly query: string;
}

/** Reads the files of `@bull-board/ui`. */
export function createQueueBoard(): QueueBoard {
  const folder = dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json'));
  const { reads, pages, config } = collect(folder);
  const files: ConsoleFiles = readConsoleFiles(join(folder, 'dist'), FILES);
  const page = boardPage(join(folder, 'dist/index.ejs'), config);
  const isPage = (path: string) => pages.some((route) => matchPath(route, path) !== undefined);
  return {
    findFile: (path) => (isPage(`/${path}`) ? page : files.get(path)),
    async read({ path, query }, queues) {
      for (const { template, handler } of reads) {
        const params = matchPath(template, `/${path}`);
        if (params === undefined) continue;
        const request = requestOf(params, query);
        const views = queues.map((queue) => new QueueView(queue));
        const shown: BullBoardQueues = new Map(views.map((view) => [view.getName(), view]));
        const answer = await handler({ ...request, queues: shown, uiConfig: config });
        return { status: answer.status ?? 200, body: answer.body };
      }
      return undefined;
    },
  };
}

/** Throws URIError for a malformed path, which no browser sends. */
function requestOf(
  params: Readonly<Record<string, string>>,
  query: string,
): Pick<BullBoardRequest, 'params' | 'query' | 'body' | 'headers'> {
  const decoded = Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]);
  return {
    params: Object.fromEntries(decoded) as Record<string, string>,
    query: Object.fromEntries(new URLSearchParams(query)),
    body: {},
    headers: {},
  };
}

interface Read {
  readonly template: string;
  readonly handler: AppControllerRoute['handler'];
}

interface Collected {
  readonly reads: readonly Read[];
  readonly pages: readonly string[];
  readonly config: UIConfig;
}

/** Collects the routes and settings that bull-board gives to a server. */
function collect(uiBasePath: string): Collected {
  let reads: readonly Read[] = [];
  let pages: readonly string[] = [];
  let config: UIConfig = {};
  const serverAdapter: IServerAdapter = {
    setQueues: () => serverAdapter,
    setViewsPath: () => serverAdapter,
    setStaticPath: () => serverAdapter,
    setErrorHandler: () => serverAdapter, // errors are answered as everywhere in this gateway
    setEntryRoute({ route }: AppViewRoute) {
      pages = [route].flat().map(templateOf);
      return serverAdapter;
    },
    setApiRoutes(routes: AppControllerRoute[]) {
      reads = routes
        .filter(({ method }) => [method].flat().every((one) => one === 'get'))
        .flatMap(({ route, handler }) =>
          [route].flat().map((one) => ({ template: templateOf(one), handler })),
        );
      return serverAdapter;
    },
    setUIConfig(given: UIConfig) {
      config = given;
      return serverAdapter;
    },
  };
  createBullBoard({ queues: [], serverAdapter, options: { uiBasePath, uiConfig: UI } });
  return { reads, pages, config };
}

/** `/queue/{queueName}` for `/queue/:queueName`. */
function templateOf(route: string): string {
  return route.replaceAll(/:(\w+)/g, '{$1}');
}
