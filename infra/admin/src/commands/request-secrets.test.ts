/** The secret that a request came to is shown once: it is neither printed nor lost. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runCountersign } from './run-countersign.js';

const ID = randomUUID();
const USER = randomUUID();
const AT = '2026-11-25T00:00:00.000Z';
const changed = { created_at: AT, created_by: USER, last_updated_at: AT, last_updated_by: USER };

let home: string;
let server: Server;
let apiKey: string;
let reads: number;

beforeEach(async () => {
  apiKey = randomUUID();
  reads = 0;
  home = mkdtempSync(join(tmpdir(), 'request-secrets-'));
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(recordOnRead(++reads)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { privateKey } = generateKeyPairSync('ed25519');
  const profile = {
    url: `http://127.0.0.1:${port}`,
    user: 'a',
    api_key_file: write('caller.api-key', randomUUID()),
    private_key_file: write(
      'caller.pem',
      String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
    ),
  };
  mkdirSync(join(home, 'countersign'));
  write('countersign/profiles.json', JSON.stringify({ default: profile }));
});
afterEach(() => {
  server.close();
  rmSync(home, { recursive: true });
});

function write(name: string, content: string): string {
  writeFileSync(join(home, name), content, { mode: 0o600 });
  return join(home, name);
}

/** As a gateway has it: the first reading alone shows the secret. */
function recordOnRead(count: number) {
  const user = { id: USER, type: 'machine', display_name: 'bot', user_groups: [], ...changed };
  return {
    request_id: ID,
    operation: 'create-user',
    status: 'completed',
    created_at: AT,
    created_by: USER,
    expires_at: AT,
    completed_at: AT,
    result: count === 1 ? { ...user, api_key: apiKey } : user,
    approvals: { required: 1, given: [] },
  };
}

async function countersign(...words: string[]) {
  let [output, notes] = ['', ''];
  const code = await runCountersign(words, {
    environment: { XDG_CONFIG_HOME: home },
    readStandardInput: () => Buffer.alloc(0),
    writeOutput: (text) => void (output += String(text)),
    writeNote: (text) => void (notes += text),
    showProgress: () => undefined,
    confirm: async () => true,
  });
  expect(output + notes).not.toContain(apiKey);
  return { code, output, notes };
}

const keptBeside = () =>
  readdirSync(join(home, 'countersign')).filter((name) => name.startsWith('secret-'));

describe('a secret that a request came to', () => {
  it.each(['show', 'wait'])('goes to the file that `requests %s` was given', async (verb) => {
    const file = join(home, 'bot.api-key');
    const { code, output } = await countersign('requests', verb, ID, '--secret-file', file);
    expect([code, readFileSync(file, 'utf8')]).toEqual([0, `${apiKey}\n`]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(output).toContain(`api_key_file: ${file}`);
    expect(keptBeside()).toEqual([]);
  });

  it.each([
    ['requests', 'show', ID],
    ['requests', 'show', ID, '--verify'],
    ['requests', 'wait', ID],
    ['requests', 'approve', ID],
    ['receipt', 'show', ID],
  ])('is kept beside the profiles where no file was given to %s %s', async (...words) => {
    const { notes } = await countersign(...words);
    const [name, ...more] = keptBeside();
    expect(more).toEqual([]);
    const file = join(home, 'countersign', name!);
    expect(readFileSync(file, 'utf8')).toBe(`${apiKey}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(notes).toContain(file);
  });

  it.each(['show', 'wait'])('that was shown before leaves `requests %s` no file', async (verb) => {
    reads = 1;
    const file = join(home, 'bot.api-key');
    expect((await countersign('requests', verb, ID, '--secret-file', file)).code).toBe(0);
    expect((await countersign('requests', verb, ID)).code).toBe(0);
    expect([existsSync(file), keptBeside()]).toEqual([false, []]);
  });

  it.each(['show', 'wait'])('is not asked for by `requests %s` without a place', async (verb) => {
    const file = write('taken', 'another');
    const { code } = await countersign('requests', verb, ID, '--secret-file', file);
    expect([code, reads, readFileSync(file, 'utf8')]).toEqual([2, 0, 'another']);
  });
});
