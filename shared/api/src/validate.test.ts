/** What a caller is told of a body or a query that does not fit, and what is never told. */
import { describe, expect, it } from '@jest/globals';
import * as s from '@countersign/core/shapes.js';
import type { ErrType, Refusal } from '@countersign/core/errors.js';
import { listKeysQuery } from './key-schema.js';
import { createSigningPolicyRequest } from './policy-requests.js';
import { listAdminPoliciesQuery } from './policy-schema.js';
import { listSecurityGroupsQuery } from './policy-schema.js';
import { freezeKeysQuery, generateKeyRequest } from './requests/keys.js';
import { createUserRequest } from './requests/users.js';
import { listUsersQuery } from './user-schema.js';
import { parseQuery } from './query-string.js';
import { validate } from './validate.js';

const ID = '0123abcd-0000-8000-8000-00000000abcd';

const refusal = (refused: ErrType, message: string): Refusal => ({ refused, message });
const invalid = (message: string) => refusal('invalid_inputs', message);
const malformed = (message: string) => refusal('parse_error', message);

describe('a field that nobody knows', () => {
  const person = { type: 'human', display_name: 'a', email: 'a@b.cd', cloud_provider: 'gcp' };

  it('is named, and so are two', () => {
    expect(validate(createUserRequest.body, { ...person, emial: 'x' })).toEqual(
      invalid('unknown field "emial"'),
    );
    expect(validate(createUserRequest.body, { ...person, b: 1, a: 2 })).toEqual(
      invalid('unknown fields "b", "a"'),
    );
  });

  it('is named next to the field that its misspelling left out', () => {
    const { email, ...rest } = person;
    expect(validate(createUserRequest.body, { ...rest, emial: email })).toEqual(
      invalid('email: is required; unknown field "emial"'),
    );
  });

  it('is named with the path to it', () => {
    const rule = { display_name: 'a', when: { operation: ['sign'] }, then: 'allow' };
    const body = { display_name: 'a', security_group_id: ID, rules: [rule] };
    expect(validate(createSigningPolicyRequest.body, body)).toEqual(
      invalid('rules.0.when: unknown field "operation"'),
    );
  });

  it('makes no text longer than a few names, however many and long they are', () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `\n${'x'.repeat(500)}${n}`);
    const body = { ...person, ...Object.fromEntries(names.map((name) => [name, 1])) };
    const { message } = validate(createUserRequest.body, body) as Refusal;
    const shown = `"?${'x'.repeat(63)}..."`;
    expect(message).toBe(`unknown fields ${shown}, ${shown}, ${shown} and 4997 more`);
  });

  it('is quoted in a path as well', () => {
    const body = { type: 'ed25519', display_name: 'a', labels: { ['A\u001b'.repeat(99)]: 'x' } };
    expect(validate(generateKeyRequest.body, body)).toEqual(
      invalid(`labels."${'A?'.repeat(32)}...": is not an allowed name`),
    );
  });
});

describe('a field that chooses the form', () => {
  it.each<[string, unknown, Refusal]>([
    ['missing', {}, invalid('type: is required')],
    ['none of the words', { type: 'robot' }, invalid('type: must be one of human, machine')],
    ['of another JSON type', { type: 1 }, malformed('type: must be one of human, machine')],
  ])('that is %s', (_case, body, expected) => {
    expect(validate(createUserRequest.body, body)).toEqual(expected);
  });

  const then = (value: unknown) =>
    validate(createSigningPolicyRequest.body, {
      display_name: 'a',
      security_group_id: ID,
      rules: [{ display_name: 'a', when: {}, ...(value !== undefined && { then: value }) }],
    });
  const FORMS = 'must be one of allow, deny or must be of type object';

  it.each<[string, unknown, Refusal]>([
    ['is missing', undefined, invalid('rules.0.then: is required')],
    ['is no known word', 'secret', invalid(`rules.0.then: ${FORMS}`)],
    ['has another JSON type', 1, malformed(`rules.0.then: ${FORMS}`)],
    ['lacks a field', {}, invalid('rules.0.then.require_approvals: is required')],
    [
      'has a fault in it',
      { require_approvals: { quorum: 0 } },
      invalid('rules.0.then.require_approvals.quorum: must be at least 1'),
    ],
    [
      'has an unknown field',
      { require_approvals: { quorum: 1, user_ids: [ID] }, deny: true },
      invalid('rules.0.then: unknown field "deny"'),
    ],
  ])('of a rule, `then`, that %s', (_case, value, expected) => {
    expect(then(value)).toEqual(expected);
  });

  it('is told by the fault in the one form that fits, however deep', () => {
    const inner = s.union([s.literal('off'), s.strictObject({ at: s.number() })]);
    const outer = s.strictObject({ a: s.union([s.literal('on'), s.strictObject({ b: inner })]) });
    expect(validate(outer, { a: { b: { at: 'x' } } })).toEqual(
      invalid('a.b.at: must be of type number'),
    );
  });
});

describe('bounds', () => {
  const bounds = (amount: unknown) =>
    validate(createSigningPolicyRequest.body, {
      display_name: 'a',
      security_group_id: ID,
      rules: [{ display_name: 'a', when: { initiators: 'anyone', amount }, then: 'allow' }],
    });
  const AT = 'rules.0.when.amount';
  const NO_DECIMAL = 'must be an unsigned decimal number';

  it.each<[string, unknown, Refusal]>([
    ['max is no decimal', { min: '0.5', max: '1,000' }, invalid(`${AT}.max: ${NO_DECIMAL}`)],
    ['min is no decimal', { min: '-1', max: '1' }, invalid(`${AT}.min: ${NO_DECIMAL}`)],
    ['neither is one', { min: '', max: 'x' }, invalid(`${AT}.min: ${NO_DECIMAL}`)],
    ['they cross', { min: '2', max: '1' }, invalid(`${AT}: can never match: min is above max`)],
  ])('are refused, never thrown over, where %s', (_case, amount, expected) => {
    expect(bounds(amount)).toEqual(expected);
  });
});

it('a field that has to be there is told as missing, of whatever type it is', () => {
  expect(validate(generateKeyRequest.body, { display_name: 'a' })).toEqual(
    invalid('type: is required'),
  );
  expect(validate(generateKeyRequest.body, { type: 'rsa' })).toEqual(
    invalid('display_name: is required'),
  );
});

it('a value of a body is never told', () => {
  const secret = 'hunter2';
  const bodies = [
    { type: secret, display_name: 'a' },
    { type: 'rsa', display_name: 'a', modulus_bits: secret },
    { type: 'rsa', display_name: 'a', venue_id: `${secret}!` },
    { type: 'rsa', display_name: 'a', labels: { a: { secret } } },
    { type: 'rsa', display_name: ` ${secret}` },
  ];
  for (const body of bodies) {
    const { message } = validate(generateKeyRequest.body, body) as Refusal;
    expect(message).not.toContain(secret);
  }
});

describe('a query', () => {
  it.each<[string, s.AnyShape, string, Refusal]>([
    ['an unknown parameter', listUsersQuery, 'foo=1', invalid('unknown query parameter "foo"')],
    [
      'an unknown parameter with a line break',
      listUsersQuery,
      'a%0Ab=1',
      invalid('unknown query parameter "a?b"'),
    ],
    [
      'a repeated parameter',
      listUsersQuery,
      'limit=1&limit=1',
      invalid('the query parameter "limit" is repeated'),
    ],
    [
      'an unknown word',
      listUsersQuery,
      'is_type=robot',
      malformed('is_type: must be one of human, machine, not "robot"'),
    ],
    [
      'an unknown word in a list',
      listKeysQuery,
      'types=rsa,dsa',
      malformed(
        'types: must be one or more of ed25519, rsa, hmac with commas between them, not "dsa"',
      ),
    ],
    [
      'an id that is none',
      listSecurityGroupsQuery,
      'signing_policy_id=x',
      malformed('signing_policy_id: must be a UUID in lower case, not "x"'),
    ],
    [
      'an id in upper case',
      listSecurityGroupsQuery,
      `signing_policy_id=${ID.toUpperCase()}`,
      malformed(`signing_policy_id: must be a UUID in lower case, not "${ID.toUpperCase()}"`),
    ],
    [
      'an empty item',
      listUsersQuery,
      `user_ids=${ID},`,
      malformed('user_ids: must be UUIDs in lower case with commas between them, not ""'),
    ],
    [
      'a venue id that is none',
      freezeKeysQuery,
      'venue_id=A%1b',
      malformed('venue_id: must be a venue id, not "A?"'),
    ],
    [
      'a limit that is no number',
      listUsersQuery,
      'limit=x',
      malformed('limit: must be an integer, not "x"'),
    ],
    [
      'a limit that is too high',
      listUsersQuery,
      'limit=101',
      invalid('limit: must be at most 100'),
    ],
  ])('with %s says so', (_case, schema, query, expected) => {
    expect(parseQuery(schema, query)).toEqual(expected);
  });

  it('with a long word names its beginning', () => {
    const { message } = parseQuery(listUsersQuery, `is_type=${'x'.repeat(8_000)}`) as Refusal;
    expect(message).toBe(`is_type: must be one of human, machine, not "${'x'.repeat(64)}..."`);
  });

  it('with an unknown administrative action is malformed', () => {
    expect(parseQuery(listAdminPoliciesQuery, 'actions=freeze,dance')).toEqual(
      malformed(
        expect.stringMatching(/^actions: must be one or more of .*, not "dance"$/) as never,
      ),
    );
    expect(parseQuery(listAdminPoliciesQuery, 'actions=freeze,unfreeze')).toEqual({
      actions: ['freeze', 'unfreeze'],
    });
  });
});
