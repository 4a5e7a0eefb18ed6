#!/usr/bin/env node
/** `countersign-mcp`: a vault's signatures as tools of the Model Context Protocol, over standard input and output. */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createCountersignClient } from '@countersign/client/countersign-client.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createToolServer } from './tool-server.js';

/** Of one tool. What waits for approvals is read later. */
const WAIT_MS = 20_000;

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`countersign-mcp: set ${name}`);
  return value;
}

/** As `client/examples/new-bot.mjs` writes it. */
interface Credential {
  readonly api_key: string;
  readonly private_key_file: string;
}

const baseUrl = setting('COUNTERSIGN_URL');
const file = readFileSync(setting('COUNTERSIGN_CREDENTIAL_FILE'), 'utf8');
const { api_key: apiKey, private_key_file: keyFile } = JSON.parse(file) as Credential;
const privateKey = createPrivateKey(readFileSync(keyFile));
const client = createCountersignClient({ baseUrl, apiKey, privateKey, waitMs: WAIT_MS });
await createToolServer(client).connect(new StdioServerTransport());
