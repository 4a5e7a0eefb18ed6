/** The page of the queues at a whole vault: what stands in it, and what does not. The page itself is seen where there is Chromium. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  freezeQueueName,
  KEY_GENERATION_QUEUE,
  signQueueName,
} from '@countersign/runtime/jobs/names.js';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Page } from 'playwright-core';
import {
  CONSOLE_ORIGIN,
  HAS_CHROMIUM,
  openBrowser,
  openElsewhere,
  OTHER_ORIGIN,
  portOf,
  type ConsoleBrowser,
} from './support/console-browser.ts';
import { createOfficer, signInAt, type Officer } from './support/console-person.ts';
import { openTestRedis } from './support/restart-redis.ts';
import { runWhere } from './support/run-where.ts';
import { shootMany, statusesOf } from './support/signing-load.ts';
import { eventually, expectOk, openTestVault, type TestVault } from './support/test-vault.ts';

jest.setTimeout(120_000);

const PARTIES = [1, 2, 3] as const;
const QUEUES = [
  KEY_GENERATION_QUEUE,
  ...PARTIES.map((party) => freezeQueueName({ party, name: 'a' })),
  ...PARTIES.map((party) => signQueueName({ party, name: 'a' })),
].toSorted();
/** Stands in every field of a job that somebody fills. */
const SECRET = `secret-${randomUUID()}`;

let vault: TestVault;
let redis: Redis;
let keys: Queue;

beforeAll(async () => {
  vault = await openTestVault({ hasSignIn: true });
  redis = openTestRedis(vault.servers.redis.url);
  keys = new Queue(KEY_GENERATION_QUEUE, { connection: redis, skipMetasUpdate: true });
}, 60_000);

afterAll(async () => {
  await keys?.close();
  redis?.disconnect();
  await vault?.close();
}, 60_000);

/** As a browser keeps it, by the administrator's credential. */
async function openSession(): Promise<string> {
  const { apiKey } = vault.adminCredential;
  const answer = await fetch(`${vault.baseUrl}/v1/system/queues/session`, {
    headers: { authorization: `ApiKey ${apiKey}` },
  });
  expect(answer.status).toBe(200);
  return answer.headers.getSetCookie()[0]!.split(';')[0]!;
}

interface Shown {
  readonly queues: readonly {
    readonly name: string;
    readonly counts: Readonly<Record<string, number>>;
    readonly jobs: readonly Readonly<Record<string, unknown>>[];
    readonly readOnlyMode: boolean;
  }[];
}

async function ask(path: string, cookie: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${vault.baseUrl}/queues/${path}`, { headers: { cookie } });
  return { status: answer.status, text: await answer.text() };
}

async function read<Body = Shown>(path: string, cookie: string): Promise<Body> {
  const { status, text } = await ask(path, cookie);
  expect({ path, status }).toEqual({ path, status: 200 });
  return JSON.parse(text) as Body;
}

/** Every path that bull-board's page reads, of one queue and one of its jobs. */
function pathsOf(queue: string, jobId: string): string[] {
  const of = `api/queues/${queue}`;
  const statuses = ['latest', 'active', 'waiting', 'prioritized', 'completed', 'failed', 'delayed'];
  return [
    'api/queues',
    'api/redis/stats',
    'api/job-schedulers',
    `api/job-schedulers?queueName=${queue}`,
    ...statuses.map((status) => `api/queues?activeQueue=${queue}&status=${status}&jobsPerPage=100`),
    ...['metrics', 'default-job-options', 'workers', 'rate-limit', 'job-data-schema'].map(
      (what) => `${of}/${what}`,
    ),
    ...['', '/logs', '/flow', '/flow?root=node'].map((what) => `${of}/${jobId}${what}`),
    '',
    `queue/${queue}`,
    `queue/${queue}/${jobId}`,
  ];
}

describe('what the page is told', () => {
  it('is every queue, its depth, and that nothing can be done to it', async () => {
    const cookie = await openSession();
    const shown = await eventually(async () => {
      const { queues } = await read('api/queues', cookie);
      return queues.length === QUEUES.length ? queues : undefined;
    });
    expect(shown.map(({ name }) => name)).toEqual(QUEUES);
    expect(shown.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
    const counted = async () => {
      const { queues } = await read('api/queues', cookie);
      return queues.find(({ name }) => name === KEY_GENERATION_QUEUE)!.counts;
    };
    const { delayed } = await counted();
    await keys.add('key-generation', 'x', { delay: 600_000 });
    expect(await counted()).toMatchObject({ delayed: delayed! + 1 });
  });

  it('counts what waits for a party that stands still, and shows none of it', async () => {
    const [bot, cookie] = [await vault.createMachine(), await openSession()];
    const wallet = await vault.createWallet({ initiators: [bot.id] });
    const name = signQueueName({ party: 3, name: 'a' });
    const third = vault.stack.signers[2]!;
    third.kill('SIGSTOP');
    try {
      const waiting = await eventually(async () => {
        await shootMany(vault.baseUrl, bot, wallet, 4);
        const { queues } = await read(`api/queues?activeQueue=${name}`, cookie);
        const queue = queues.find((one) => one.name === name);
        return queue?.counts['prioritized'] === 0 ? undefined : queue;
      });
      expect(waiting).toMatchObject({ jobs: [] });
      const [sealed] = await redis.zrange(`bull:${name}:prioritized`, 0, 0);
      for (const path of pathsOf(name, encodeURIComponent(sealed ?? 'gone').slice(0, 500))) {
        const { text } = await ask(path, cookie);
        if (sealed !== undefined) expect(text).not.toContain(sealed.slice(0, 60));
      }
    } finally {
      third.kill('SIGCONT');
    }
    expect(statusesOf(await shootMany(vault.baseUrl, bot, wallet, 4))).toEqual([200]);
  });

  it('is never what stands in a job, whoever wrote it there, and wherever', async () => {
    const cookie = await openSession();
    await keys.pause();
    try {
      const of = (id: string) => `bull:${KEY_GENERATION_QUEUE}:${id}`;
      const added = await keys.add(SECRET, { secret: SECRET }, { jobId: randomUUID() });
      const id = added.id!;
      await redis.hset(of(id), {
        returnvalue: JSON.stringify(SECRET),
        stacktrace: JSON.stringify([SECRET]),
        failedReason: SECRET,
        progress: JSON.stringify({ at: SECRET }),
        opts: JSON.stringify({ secret: SECRET, parent: { id: SECRET, queue: SECRET } }),
        timestamp: String(Date.now()),
        atm: SECRET,
        finishedOn: SECRET,
        processedOn: SECRET,
        pb: SECRET,
        parentKey: SECRET,
        parent: JSON.stringify({ id: SECRET }),
        rjk: SECRET,
        deid: SECRET,
        defa: SECRET,
      });
      await redis.rpush(of(`${id}:logs`), SECRET);
      await redis.hset(of('meta'), 'max', SECRET, 'duration', SECRET, 'concurrency', SECRET);
      await redis.hset(of('metrics:completed'), 'count', SECRET, 'prevTS', SECRET);
      await redis.lpush(of('metrics:completed:data'), SECRET);
      const { job } = await read<{ job: object }>(`api/queues/${keys.name}/${id}`, cookie);
      expect(job).toMatchObject({
        id,
        name: 'unknown',
        data: 'not shown',
        returnValue: 'not shown',
        failedReason: 'The log of the party says why.',
        stacktrace: [],
        opts: {},
        attempts: 0,
      });
      const waiting = await read(`api/queues?activeQueue=${keys.name}&status=waiting`, cookie);
      const jobs = waiting.queues.flatMap((queue) => queue.jobs);
      expect(jobs.map((one) => one['id'])).toContain(id);
      for (const path of pathsOf(keys.name, id)) {
        const { status, text } = await ask(path, cookie);
        expect({ path, status, isTold: text.includes(SECRET) }).toEqual({
          path,
          status: expect.any(Number),
          isTold: false,
        });
        expect({ path, isServed: [200, 403].includes(status) }).toEqual({ path, isServed: true });
      }
    } finally {
      await keys.resume();
      await keys.obliterate({ force: true });
    }
  });

  it('can be read whatever somebody put in the place of a job', async () => {
    const cookie = await openSession();
    const of = (id: string) => `bull:${KEY_GENERATION_QUEUE}:${id}`;
    await keys.pause();
    try {
      await redis.set(of('text'), SECRET);
      await redis.hset(of('junk'), { data: '{', opts: '{', timestamp: '1' });
      await redis.lpush(of('wait'), 'text', 'junk', 'absent', 'x'.repeat(300));
      const { queues } = await read(`api/queues?activeQueue=${keys.name}&status=waiting`, cookie);
      const { jobs } = queues.find(({ name }) => name === keys.name)!;
      expect(jobs.map((job) => job['id'])).toEqual(['junk']);
    } finally {
      await redis.del(of('wait'), of('text'), of('junk'));
      await keys.resume();
    }
  });
});

const describeInBrowser = runWhere(describe, HAS_CHROMIUM, 'needs Chromium');

describeInBrowser('the page of the queues, in a browser', () => {
  let browser: ConsoleBrowser;
  let elsewhere: Server;
  let page: Page;
  let board: Page;
  let officer: Officer;
  const outside: string[] = [];

  beforeAll(async () => {
    [officer, elsewhere] = await Promise.all([createOfficer(vault), openElsewhere()]);
    browser = await openBrowser(portOf(vault.stack.baseUrl), portOf(elsewhere));
    page = await browser.openPage();
    await page.goto(`${CONSOLE_ORIGIN}/console/`);
    await signInAt(page, 'officer');
    await page.getByLabel('Enrolment code').fill(officer.enrollment_code);
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    browser.takeFaults(); // the vault did not know them, and the browser writes that down
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    elsewhere?.close();
  }, 60_000);

  async function statusAt(address: string, from: Page): Promise<number> {
    const answered = from.waitForResponse(address);
    await from.evaluate(`location.assign(${JSON.stringify(address)})`);
    return (await answered).status();
  }

  it('is nobody’s who comes by its address alone', async () => {
    const stranger = await browser.context.newPage();
    const answer = await stranger.goto(`${CONSOLE_ORIGIN}/queues/`);
    expect(answer!.status()).toBe(401);
    await stranger.close();
    browser.takeFaults();
  });

  it('opens from Operations, and shows the queues with what is in them', async () => {
    await keys.add('key-generation', SECRET, { delay: 600_000, jobId: 'waits' });
    await page.getByRole('navigation').getByRole('link', { name: 'Operations' }).click();
    const opening = browser.context.waitForEvent('page');
    browser.context.on('request', (request) => outside.push(request.url()));
    await page.getByRole('link', { name: 'Queues' }).click();
    board = await opening;
    for (const name of QUEUES) await board.getByText(name, { exact: true }).first().waitFor();
    const { counts } = (await read('api/queues', await openSession())).queues.find(
      ({ name }) => name === keys.name,
    )!;
    const jobs = Object.values(counts).reduce((sum, count) => sum + count, 0);
    expect(jobs).toBeGreaterThan(0);
    const told = await board.locator('main').innerText();
    expect(told).toMatch(new RegExp(`${keys.name}\\s+${jobs} Jobs?`));
    expect(browser.takeFaults()).toEqual([]);
  });

  it('shows rates, jobs and settings, and neither a payload nor anything to press', async () => {
    const [, , , , signing] = QUEUES;
    await board.getByRole('link', { name: signing! }).first().click();
    await board.getByText('Throughput').waitFor();
    await board.goto(`${CONSOLE_ORIGIN}/queues/queue/${keys.name}?status=delayed`);
    await board.getByText('waits').first().waitFor();
    await board.goto(`${CONSOLE_ORIGIN}/queues/queue/${keys.name}/waits?status=delayed`);
    await board.getByText('not shown').first().waitFor();
    for (const tab of ['Progress', 'Options', 'Logs', 'Error', 'Data']) {
      await board
        .getByRole('tab', { name: tab })
        .or(board.getByRole('button', { name: tab }))
        .first()
        .click();
    }
    expect(await board.content()).not.toContain(SECRET);
    for (const act of [/promote/i, /clean/i, /retry/i, /remove/i, /pause/i, /edit/i, /add job/i]) {
      expect({ act, count: await board.getByRole('button', { name: act }).count() }).toEqual({
        act,
        count: 0,
      });
    }
    await board.locator('header').getByRole('button').nth(-2).click();
    await board.getByRole('dialog').waitFor();
    expect(browser.takeFaults()).toEqual([]);
    expect(outside.filter((url) => !url.startsWith(`${CONSOLE_ORIGIN}/`))).toEqual([]);
  });

  it('has no hold on the console, opens no window, and is asked for no passkey', async () => {
    expect(await board.evaluate('window.opener')).toBeNull();
    expect(await board.evaluate("window.open('/console/')")).toBeNull();
    const allowed = "document.featurePolicy.allowsFeature('publickey-credentials-get')";
    expect(await page.evaluate(allowed)).toBe(true);
    expect(await board.evaluate(allowed)).toBe(false);
    expect(await board.evaluate('document.cookie')).toBe('');
    expect(await browser.context.cookies(`${CONSOLE_ORIGIN}/queues/`)).toMatchObject([
      { path: '/queues', httpOnly: true, secure: true, sameSite: 'Strict' },
    ]);
    expect(await browser.context.cookies(`${CONSOLE_ORIGIN}/v1/users`)).toEqual([]);
    browser.takeFaults(); // what was refused just now
  });

  it('leads back to the console', async () => {
    const tab = await browser.context.newPage();
    await tab.goto(`${CONSOLE_ORIGIN}/console/`);
    await tab.evaluate("location.assign('/queues/')");
    await tab.locator('header').getByRole('button').last().click();
    await tab.getByRole('menuitem', { name: /^Console/ }).click();
    await tab.waitForURL(`${CONSOLE_ORIGIN}/console/operations`);
    await tab.getByRole('button', { name: 'Sign in as a developer' }).waitFor();
    await tab.close();
    expect(browser.takeFaults()).toEqual([]);
  });

  it('is not opened by somebody else’s site', async () => {
    const site = await browser.context.newPage();
    await site.goto(`${OTHER_ORIGIN}/plain`);
    expect(await statusAt(`${CONSOLE_ORIGIN}/queues/`, site)).toBe(401);
    await site.close();
    expect(await statusAt(`${CONSOLE_ORIGIN}/queues/`, board)).toBe(200);
    await board.getByText(keys.name, { exact: true }).first().waitFor(); // it has come to its end
    browser.takeFaults();
  });

  it('is closed to somebody who was frozen meanwhile', async () => {
    await expectOk(vault.admin, 'POST', `/v1/users/freeze?user_ids=${officer.id}`);
    const answer = await board.reload();
    expect(answer!.status()).toBe(401);
    browser.takeFaults();
  });
});
