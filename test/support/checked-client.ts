/** A client that holds every answer against the API description that the service itself publishes. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { describeApi } from '../../gateway/dist/openapi/describe-api.js';
import type { ClientResponse, RawClient } from '../../client/dist/calls/raw-client.js';

interface Declared {
  readonly $ref?: string;
  readonly content?: Record<string, { schema?: object }>;
}

interface Operation {
  readonly responses: Record<string, Declared>;
}

const description = describeApi() as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; responses: Record<string, Declared> };
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormatsModule as unknown as { default: (target: Ajv2020) => void }).default(ajv);
const validators = new Map<object, ValidateFunction>();
const patterns = Object.entries(description.paths).map(
  ([template, operations]) =>
    [new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`), operations] as const,
);
ajv.addSchema({ $id: 'api', components: description.components });

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
  const operation = findOperation(method, target.split('?')[0]!);
  if (operation === undefined) {
    if (response.status === 404 || response.status === 400) return;
    throw new Error(`${method} ${target}: not described, yet HTTP ${response.status}`);
  }
  const declared = resolveResponse(operation.responses[String(response.status)]);
  if (declared === undefined) {
    throw new Error(`${method} ${target}: HTTP ${response.status} is not declared`);
  }
  const type = (response.headers['content-type'] ?? '').split(';')[0]!;
  const content = declared.content?.[type];
  if (content === undefined) throw new Error(`${method} ${target}: ${type} is not declared`);
  if (type !== 'application/json' || content.schema === undefined) return;
  const validate = validatorOf(content.schema);
  if (!validate(response.body)) {
    throw new Error(
      `${method} ${target}: HTTP ${response.status} ${response.text}\n` +
        ajv.errorsText(validate.errors, { separator: '\n' }),
    );
  }
}

/** To compile a schema takes much longer than to use it. */
function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
  const validate = ajv.compile(JSON.parse(text) as object);
  validators.set(schema, validate);
  return validate;
}

function resolveResponse(declared: Declared | undefined): Declared | undefined {
  const name = declared?.$ref?.split('/').at(-1);
  return name === undefined ? declared : description.components.responses[name];
}

function findOperation(method: string, path: string): Operation | undefined {
  for (const [pattern, operations] of patterns) {
    const operation = operations[method.toLowerCase()];
    if (operation !== undefined && pattern.test(path)) return operation;
  }
  return undefined;
}
