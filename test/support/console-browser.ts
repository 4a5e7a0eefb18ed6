/** A real browser at a vault's console: headless Chromium with a virtual authenticator (WebAuthn, section 11). */
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chromium,
  type BrowserContext,
  type Locator,
  type Page,
  type PageScreenshotOptions,
  type Request,
} from 'playwright-core';
import { eventually } from './test-vault.ts';

/** Where Debian puts it. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
export const HAS_CHROMIUM = existsSync(CHROMIUM);

/** The origin that the genesis of a vault for development names. The browser finds the gateway's own port behind it. */
export const CONSOLE_ORIGIN = 'http://localhost:8080';
/** What somebody else's page is served under. */
export const OTHER_ORIGIN = 'http://elsewhere.test:8081';

/** What a page may take to show what was asked of it: the machine may have much else to do. */
const PATIENCE_MS = 30_000;

/** So old is what a page shows at least before it asks anew. */
const LOOK_AGAIN_MS = 1_000;

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface ConsoleBrowser {
  readonly context: BrowserContext;
  /** What went wrong in pages of the console since the last look: errors of the console, and violations of its policy. */
  takeFaults(): string[];
  /** A page with an authenticator of its own. */
  openPage(): Promise<Page>;
  close(): Promise<void>;
}

/** `gatewayPort` and `otherPort` of this host stand behind the two origins. */
export async function openBrowser(gatewayPort: number, otherPort: number): Promise<ConsoleBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'console-browser-'));
  const rules = [
    `MAP localhost:8080 127.0.0.1:${gatewayPort}`,
    `MAP elsewhere.test:8081 127.0.0.1:${otherPort}`,
  ];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: [...FLAGS, `--host-resolver-rules=${rules.join(', ')}`],
    viewport: WIDE,
    acceptDownloads: true,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  let faults: string[] = [];
  context.on('console', (message) => {
    const { url, lineNumber, columnNumber } = message.location();
    const isOurs = [url, message.page()?.url()].some((at) => at?.startsWith(CONSOLE_ORIGIN));
    if (message.type() !== 'error' || !isOurs) return;
    faults.push(`${message.text()} (${url}:${lineNumber}:${columnNumber})`);
  });
  context.on('weberror', (error) => faults.push(String(error.error())));
  return {
    context,
    takeFaults() {
      const taken = faults;
      faults = [];
      return taken;
    },
    async openPage() {
      const page = await context.newPage();
      followRequests(page);
      await addAuthenticator(page);
      return page;
    },
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

const asked = new WeakMap<Page, Set<Request>>();

/** Remembers what a page waits for: a page that stays the same document is idle only once, as far as Playwright knows. */
function followRequests(page: Page): void {
  const waiting = new Set<Request>();
  asked.set(page, waiting);
  page.on('request', (request) => {
    if (!request.url().endsWith('/stream')) waiting.add(request);
  });
  page.on('requestfinished', (request) => waiting.delete(request));
  page.on('requestfailed', (request) => waiting.delete(request));
}

/** Resolves once a page has all that it asked for, and asks for nothing more because of it. A stream is not waited for. */
export async function settled(page: Page): Promise<void> {
  const nextFrames = 'new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))';
  for (;;) {
    await page.evaluate(nextFrames);
    if (asked.get(page)?.size === 0) return;
  }
}

/**
 * Waits as somebody who leaves the page and comes back to it: it then asks anew for what it shows. That a page looks again by
 * itself is for one wait without this.
 */
export function comes(
  page: Page,
  what: Locator,
  state: 'visible' | 'detached' = 'visible',
): Promise<true> {
  return eventually(async () => {
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    return what.waitFor({ state, timeout: LOOK_AGAIN_MS }).then(
      () => true as const,
      () => undefined,
    );
  }, PATIENCE_MS);
}

async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable', { enableUI: false });
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

/** Of a long list the beginning is picture enough, px. */
const TALLEST = 3_000;

/** Four pictures of what is shown now: light and dark, wide and narrow. Of a dialog what is seen, of a page the whole. */
export async function takeScreenshots(page: Page, name: string, folder: string): Promise<void> {
  const isDialog = (await page.getByRole('dialog').count()) > 0;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const [size, width] of [
      [WIDE, 'wide'],
      [NARROW, 'narrow'],
    ] as const) {
      await page.setViewportSize(size);
      await page.evaluate('scrollTo(0, 0)');
      const path = join(folder, `${name}-${width}-${colorScheme}.png`);
      await page.screenshot(isDialog ? { path } : { path, ...(await wholePage(page, size.width)) });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(WIDE);
}

async function wholePage(page: Page, width: number): Promise<PageScreenshotOptions> {
  const tall = await page.evaluate<number>('document.documentElement.scrollHeight');
  return { fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(tall, TALLEST) } };
}

/** Somebody else's site, which frames the console; `/plain` does not. */
export async function openElsewhere(): Promise<Server> {
  const frame = `<iframe src="${CONSOLE_ORIGIN}/console/"></iframe>`;
  const server = createServer(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>elsewhere</title>${url === '/plain' ? '' : frame}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export function portOf(of: Server | string): number {
  return typeof of === 'string' ? Number(new URL(of).port) : (of.address() as AddressInfo).port;
}
