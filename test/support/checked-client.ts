/** A client that holds every answer against the API description that the service itself publishes. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { ClientResponse, RawClient } from '../../client/dist/calls/raw-client.js';
import { requireEnv } from './test-servers.ts';

/** Files in the run's folder (`write-answer-checks.ts`). */
export const CHECKS_TABLE = 'answer-checks.json';
export const CHECKS_CODE = 'answer-checks.cjs';

/** By path template, method in small letters, status and media type: what checks a body; null where nothing is said of it. */
export type DeclaredAnswers = Readonly<
  Record<string, Record<string, Record<string, Record<string, string | null>>>>
>;

interface AnswerChecks {
  readonly patterns: readonly (readonly [RegExp, DeclaredAnswers[string]])[];
  readonly validators: Readonly<Record<string, ValidateFunction>>;
}

let read: AnswerChecks | undefined;

export function checkedClient(client: RawClient): RawClient {
  return {
    ...client,
    async send(request) {
      const response = await client.send(request);
      checkResponse(request.method, request.target, response);
      return response;
    },
    async get(target) {
      const response = await client.get(target);
      checkResponse('GET', target, response);
      return response;
    },
  };
}

/** Throws when status, media type or body is not what the description declares. */
export function checkResponse(method: string, target: string, response: ClientResponse): void {
  if (typeof response.headers['x-request-id'] !== 'string') {
    throw new Error(`${method} ${target}: no x-request-id`);
  }
  read ??= readChecks();
  const answers = findAnswers(read, method, target.split('?')[0]!);
  if (answers === undefined) {
    if (response.status === 404 || response.status === 400) return;
    throw new Error(`${method} ${target}: not described, yet HTTP ${response.status}`);
  }
  const content = answers[String(response.status)];
  if (content === undefined) {
    throw new Error(`${method} ${target}: HTTP ${response.status} is not declared`);
  }
  const type = (response.headers['content-type'] ?? '').split(';')[0]!;
  const name = content[type];
  if (name === undefined) throw new Error(`${method} ${target}: ${type} is not declared`);
  if (type !== 'application/json' || name === null) return;
  const validate = read.validators[name]!;
  if (!validate(response.body)) {
    throw new Error(
      `${method} ${target}: HTTP ${response.status} ${response.text}\n` + textOf(validate.errors),
    );
  }
}

function textOf(errors: readonly ErrorObject[] | null | undefined): string {
  return (errors ?? []).map((one) => `data${one.instancePath} ${one.message}`).join('\n');
}

function readChecks(): AnswerChecks {
  const home = requireEnv('COUNTERSIGN_TEST_HOME');
  const table = JSON.parse(readFileSync(join(home, CHECKS_TABLE), 'utf8')) as DeclaredAnswers;
  const code = readFileSync(join(home, CHECKS_CODE), 'utf8');
  const validators = {};
  // it requires parts of ajv, which are found from here
  compileFunction(code, ['exports', 'require'])(validators, createRequire(import.meta.url));
  const patterns = Object.entries(table).map(
    ([template, operations]) =>
      [new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operations] as const,
  );
  return { patterns, validators };
}

function findAnswers({ patterns }: AnswerChecks, method: string, path: string) {
  for (const [pattern, operations] of patterns) {
    const answers = operations[method.toLowerCase()];
    if (answers !== undefined && pattern.test(path)) return answers;
  }
  return undefined;
}
