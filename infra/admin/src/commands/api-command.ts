/** A command for an operation of the API: arguments, options and their texts are those of the contract. */
import { findOperation, type AnyInput } from '@countersign/client/operation-request.js';
import type { CountersignClient } from '@countersign/client/countersign-client.js';
import type { OperationId } from '@countersign/api/operations/api-operations.js';
import type { ApiOperation } from '@countersign/api/operation.js';
import { validate } from '@countersign/api/validate.js';
import { isRefusal } from '@countersign/core/errors.js';
import { describeBody, describeQuery } from '@countersign/api/request-texts.js';
import type { AnyShape, Fields } from '@countersign/core/shapes.js';
import {
  UsageError,
  type Argument,
  type Command,
  type Given,
  type Option,
  type Outcome,
  type Surroundings,
} from '../tool/command.js';
import { readDocument } from '../tool/document.js';
import { tableOf, yamlOf } from '../tool/output.js';
import {
  fieldsOf,
  isRequired,
  scalarOf,
  scalarValue,
  takesNull,
  textOf,
} from '../tool/shape-facts.js';
import { asCaller, valueOrRefused, waitMsOf, WAIT_OPTION } from './caller.js';
import { readText } from './given-files.js';
import {
  answerWithoutSecret,
  SECRET_OPTION,
  type SecretFile,
  openSecretFile,
} from './secret-file.js';
import { PROFILE_OPTION } from './profile.js';

interface ApiRow {
  readonly examples: readonly string[];
  /** Of a list: what people see. */
  readonly columns?: readonly string[];
  /** Whether the answer says that a part of what was asked for was refused. */
  readonly hasRefused?: (answer: unknown) => boolean;
  /** Beside those of the contract. */
  readonly options?: readonly Option[];
  /** Of what is no single call. */
  readonly perform?: (input: AnyInput, given: Given, io: Surroundings) => Promise<Outcome | void>;
}

const LIMIT_OPTION: Option = {
  name: 'limit',
  value: 'NUMBER',
  about: 'At most so many; 1000 when absent.',
};

const USUAL_LIMIT = 1_000;

const FILE_OPTION: Option = {
  name: 'file',
  short: 'f',
  value: 'FILE',
  about: 'The body of the request, YAML or JSON; - reads standard input. Options go before it.',
};

/** What the command line can say of an operation. */
interface Form {
  readonly id: OperationId;
  readonly operation: ApiOperation;
  readonly query: Fields;
  /** Fields of the body that one word can be. */
  readonly body: Fields;
  readonly takesFile: boolean;
}

export function apiCommand(words: string, id: OperationId, row: ApiRow): Command {
  const form = formOf(id);
  const { operation } = form;
  return {
    words,
    about: operation.summary,
    details: operation.description,
    arguments: [...pathArguments(operation), ...queryArguments(form)],
    options: optionsOfForm(form, row),
    examples: row.examples,
    run: async (given, io) => {
      const input = inputOf(form, given, io);
      if (row.perform !== undefined) return row.perform(input, given, io);
      if (row.columns === undefined) return act(form, { row, input, given, io });
      return list(form, { row, input, given, io });
    },
  };
}

function formOf(id: OperationId): Form {
  const operation = findOperation(id);
  const { texts } = operation;
  const query = fieldsOf(describeQuery(operation.query, texts)) ?? {};
  const body = fieldsOf(describeBody(operation.body, texts));
  const scalars = Object.entries(body ?? {}).filter(([, shape]) => scalarOf(shape) !== undefined);
  return {
    id,
    operation,
    query: Object.fromEntries(
      Object.entries(query).filter(([name]) => name !== 'cursor' && name !== 'limit'),
    ),
    body: Object.fromEntries(scalars),
    takesFile:
      scalars.length !== Object.keys(body ?? { any: 1 }).length ||
      scalars.some(([, shape]) => takesNull(shape)),
  };
}

function pathArguments({ params, path }: ApiOperation): Argument[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return names.map((name) => ({ name: name.toUpperCase(), about: params[name]!.description }));
}

/** What a query must say stands without a flag: ids, one or more. */
function queryArguments({ query }: Form): Argument[] {
  return Object.entries(query)
    .filter(([, shape]) => isRequired(shape))
    .map(([name, shape]) => ({ name: name.toUpperCase(), about: textOf(shape), isList: true }));
}

function optionsOfForm({ operation, query, body, takesFile }: Form, row: ApiRow): Option[] {
  const optional = Object.entries(query).filter(([, shape]) => !isRequired(shape));
  return [
    ...[...optional, ...Object.entries(body)].map(([name, shape]) => optionOf(name, shape)),
    ...(takesFile ? [FILE_OPTION] : []),
    ...(row.columns === undefined ? [] : [LIMIT_OPTION]),
    ...(operation.isAsync === true ? [WAIT_OPTION] : []),
    ...(operation.hasSecret === true ? [SECRET_OPTION] : []),
    ...(row.options ?? []),
    PROFILE_OPTION,
  ];
}

interface Asked {
  readonly row: ApiRow;
  readonly input: AnyInput;
  readonly given: Given;
  readonly io: Surroundings;
}

function optionOf(name: string, shape: AnyShape): Option {
  const scalar = scalarOf(shape) ?? { kind: 'text' };
  const flag = { name: name.replaceAll('_', '-'), about: textOf(shape) };
  if (scalar.kind === 'switch') return flag;
  if (scalar.kind === 'words') return { ...flag, value: 'WORD', words: scalar.words };
  const value = { text: 'TEXT', number: 'NUMBER', list: 'ITEM,...' }[scalar.kind];
  return { ...flag, value };
}

async function act({ id, operation }: Form, { row, input, given, io }: Asked): Promise<Outcome> {
  const secret = openSecretFile(operation, input.body, given);
  try {
    const wait = operation.isAsync === true ? { waitMs: waitMsOf(given) } : {};
    const answer = await asCaller(given, io, ({ client }) =>
      callOnce(client, id, { ...input, ...wait }),
    );
    return outcomeOf(answer, row, secret);
  } finally {
    secret?.close();
  }
}

/** A caller who does not wait is told the id of what goes on. */
export async function callOnce(
  client: CountersignClient,
  id: OperationId,
  input: AnyInput & { readonly waitMs?: number },
): Promise<unknown> {
  const result = await client.call(id as 'whoami', input as object);
  const isLeft = !result.ok && result.error.errType === 'still_processing' && input.waitMs === 0;
  if (!isLeft) return valueOrRefused(result);
  return { status: 'processing', request_id: result.error.requestId };
}

function outcomeOf(
  answer: unknown,
  { hasRefused }: ApiRow,
  secret: SecretFile | undefined,
): Outcome {
  const value = secret === undefined ? answer : answerWithoutSecret(answer, secret);
  return { value, text: yamlOf(value), ...(hasRefused?.(answer) === true && { code: 1 }) };
}

async function list({ id }: Form, { row, input, given, io }: Asked): Promise<Outcome> {
  const limit = Number(given.maybe('limit') ?? USUAL_LIMIT);
  if (!Number.isInteger(limit) || limit < 1) {
    throw new UsageError('--limit is a whole number from 1');
  }
  const rows: Record<string, unknown>[] = [];
  const hasMore = await asCaller(given, io, async ({ client }) => {
    const size = String(Math.min(limit, 100));
    const query = { ...input.query, limit: size };
    for await (const page of client.pages(id as 'list-users', { ...input, query } as object)) {
      const { results, next_cursor: next } = valueOrRefused(page);
      rows.push(...(results as unknown as Record<string, unknown>[]));
      io.showProgress(`${rows.length} read`);
      if (rows.length >= limit) return rows.length > limit || next !== null;
    }
    return false;
  });
  if (hasMore) io.writeNote(`countersign: there are more than ${limit}; see --limit\n`);
  const value = rows.slice(0, limit);
  return { value, text: tableOf(value, row.columns ?? []) };
}

function inputOf(form: Form, given: Given, io: Surroundings): AnyInput {
  const { operation, query } = form;
  const params = Object.keys(operation.params).map((name) => [name, given.one(name.toUpperCase())]);
  const asked = Object.entries(query).map(([name, shape]) => [
    name,
    isRequired(shape)
      ? given.all(name.toUpperCase()).join(',')
      : given.maybe(name.replaceAll('_', '-')),
  ]);
  return {
    params: Object.fromEntries(params) as Record<string, string>,
    query: Object.fromEntries(asked) as Record<string, string | undefined>,
    ...(operation.method !== 'GET' && { body: bodyOf(form, given, io) }),
  };
}

/** Of the file and of the options, which go before it. Undefined where neither says anything and nothing must be said. */
function bodyOf({ operation, body, takesFile }: Form, given: Given, io: Surroundings): unknown {
  const typed = Object.entries(body).flatMap(([name, shape]) => {
    const flag = name.replaceAll('_', '-');
    if (scalarOf(shape)?.kind === 'switch') return given.is(flag) ? [[name, true] as const] : [];
    const text = given.maybe(flag);
    return text === undefined ? [] : [[name, scalarValue(shape, text)] as const];
  });
  const file = takesFile ? given.maybe('file') : undefined;
  if (file !== undefined) {
    const document = readDocument(file, readText(file, io));
    const { value } = document;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const whole = isObject ? { ...value, ...Object.fromEntries(typed) } : value;
    document.check(operation.body, whole);
    return whole;
  }
  if (typed.length === 0 && operation.bodyOptional === true) return undefined;
  const whole: unknown = Object.fromEntries(typed);
  const read = validate(operation.body, whole);
  if (isRefusal(read)) throw new UsageError(read.message);
  return whole;
}
