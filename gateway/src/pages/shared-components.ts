/** Parameters, headers, responses and security schemes that most operations refer to. */

const AUTHENTICATION_PARAMETERS = {
  Authorization: headerParameter('authorization', true, '`ApiKey <uuid>` or `Bearer <jwt>`.', {
    pattern: '^(ApiKey|Bearer) \\S+$',
  }),
  RequestNonce: headerParameter(
    'x-request-nonce',
    true,
    '8 random bytes, lower-case hex; single-use.',
    { pattern: '^[0-9a-f]{16}$' },
  ),
  RequestTimestamp: headerParameter(
    'x-request-timestamp',
    true,
    'Milliseconds since the Unix epoch: unsigned 64-bit little-endian, lower-case hex.',
    { pattern: '^[0-9a-f]{16}$' },
  ),
  RequestAssertion: headerParameter(
    'x-request-assertion',
    true,
    'Signature over the request transcript, base64url without padding.',
    { pattern: '^[A-Za-z0-9_-]+$' },
  ),
};

const WRITE_PARAMETERS = {
  IdempotencyKey: headerParameter(
    'Idempotency-Key',
    false,
    'The same key and body within 24 hours lead to the same request.',
    { minLength: 1, maxLength: 64 },
  ),
  Prefer: headerParameter(
    'Prefer',
    false,
    '`wait=<seconds>`: how long to wait before a 202; `respond-async`: not at all.',
    {},
  ),
};

export const CREDENTIAL_ONLY = ['Authorization'];
export const SIGNED = Object.keys(AUTHENTICATION_PARAMETERS);
export const WRITE_PREFERENCES = Object.keys(WRITE_PARAMETERS);

export const SHARED_PARAMETERS = { ...AUTHENTICATION_PARAMETERS, ...WRITE_PARAMETERS };

function headerParameter(
  name: string,
  required: boolean,
  description: string,
  schema: Readonly<Record<string, unknown>>,
) {
  return { name, in: 'header', required, description, schema: { type: 'string', ...schema } };
}

export const REQUEST_ID_HEADER = { 'x-request-id': { $ref: '#/components/headers/RequestId' } };

/** Of answers to requests for signatures. */
export const TIMED_HEADERS = {
  ...REQUEST_ID_HEADER,
  'server-timing': { $ref: '#/components/headers/ServerTiming' },
};

export const SHARED_HEADERS = {
  RequestId: {
    description: "Identifies this answer in the service's log.",
    schema: { type: 'string', format: 'uuid' },
  },
  ServerTiming: {
    description:
      'Where the time went, in whole milliseconds (W3C Server Timing). `auth`: until the gateway knew and allowed it. `queue`: until it left for the parties. `sign`: until they had signed and recorded it. `answer`: the rest. A later release may name others.',
    schema: { type: 'string', examples: ['auth;dur=2, queue;dur=0, sign;dur=11, answer;dur=0'] },
  },
  RetryAfter: {
    description: 'Seconds after which another attempt makes sense.',
    schema: { type: 'integer' },
  },
};

const ERRORS = {
  400: ['BadRequest', '`parse_error`: not JSON, or malformed syntax.'],
  401: ['Unauthorized', '`unauthorized`: missing, wrong, stale or replayed credentials.'],
  403: ['Forbidden', '`forbidden`: a policy says no, or the target is frozen.'],
  404: ['NotFound', '`not_found`: no such route; `resource_not_found`: no such resource.'],
  409: ['Conflict', '`resource_conflict`: stale version, taken name, or in use.'],
  422: ['InvalidInputs', '`invalid_inputs`: well-formed but not acceptable.'],
  500: ['InternalServerError', '`internal_server_error`.'],
  504: [
    'GatewayTimeout',
    '`gateway_timeout`: a store or the signers cannot be reached, or the service is overloaded. It is also the answer to too many requests from your address or with your credential, and to too many that failed authentication. Under overload nothing was done, the nonce is not used, and `retry-after` says when to ask again.',
  ],
} as const;

/** Statuses whose answers say when to try again. */
const RETRYABLE = ['504'];

const WRONG_CONTENT_TYPE = 'UnsupportedMediaType';

export const ERROR_RESPONSES: Readonly<Record<string, { $ref: string }>> = Object.fromEntries(
  Object.entries(ERRORS).map(([status, [name]]) => [status, responseReference(name)]),
);

/** Of what is served to anybody: a malformed request, a fault, too many at once. */
export const PAGE_ERRORS = Object.fromEntries(
  (['400', '500', '504'] as const).map((status) => [status, ERROR_RESPONSES[status]]),
);

export const WRONG_CONTENT_TYPE_RESPONSE = { 415: responseReference(WRONG_CONTENT_TYPE) };

function responseReference(name: string): { $ref: string } {
  return { $ref: `#/components/responses/${name}` };
}

export function sharedResponses(errorSchema: unknown): Record<string, unknown> {
  const errors = Object.entries(ERRORS).map(([status, [name, description]]) => [
    name,
    {
      description,
      headers: {
        ...REQUEST_ID_HEADER,
        ...(RETRYABLE.includes(status) && {
          'retry-after': { $ref: '#/components/headers/RetryAfter' },
        }),
      },
      content: { 'application/json': { schema: errorSchema } },
    },
  ]);
  return {
    ...(Object.fromEntries(errors) as Record<string, unknown>),
    [WRONG_CONTENT_TYPE]: {
      description: 'The request lacks `Content-Type: application/json`.',
      headers: REQUEST_ID_HEADER,
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
  };
}

export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'authorization',
    description: 'Machine users: `ApiKey <uuid>`.',
  },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Human users.' },
};

export const CREDENTIAL_SECURITY = Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] }));
