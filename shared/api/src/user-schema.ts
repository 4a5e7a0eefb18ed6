import * as s from '@countersign/core/shapes.js';
import { pageOf, stampFields } from './common-schema.js';
import { frozenFields } from './freeze-schema.js';
import {
  commaSeparatedIds,
  dateTime,
  DESCRIPTION_TEXT,
  DISPLAY_NAME_TEXT,
  id,
} from './primitives.js';
import { nameFilter, pageQuery, queryEnum } from './primitives.js';
import type { RequestTexts } from './request-texts.js';
import { CLOUD_PROVIDERS } from './requests/users.js';

const A_PERSON = 'A person.';
const A_PROGRAM = 'A program that signs with an Ed25519 key.';
const PROVIDER =
  "Whose identity provider issues the person's tokens. `oidc`: one that the operator named (OpenID Connect), neither Microsoft nor Google.";
const GROUPS = 'Ids of the groups that the user is in: at most 20, none twice. Absent: none.';
const ADDRESSES =
  "Ranges of addresses (CIDR, RFC 4632) that the API key may be used from: 1 to 32, such as `203.0.113.0/24`. Each gateway compares the caller's address with them; the parties do not.";
const ENROLLMENT_KEY =
  'Ed25519 public key (RFC 8032) of an enrolment code that you made yourself, which is its seed: 32 bytes, base64url without padding or hex. Whoever runs a gateway or a party then has no code to enrol with in the place of the person. Absent: the vault makes a code, which the answer shows.';

export const createUserTexts: RequestTexts = {
  name: 'CreateUserRequest',
  body: [
    {
      type: A_PERSON,
      display_name: DISPLAY_NAME_TEXT,
      description: DESCRIPTION_TEXT,
      email: 'Email address, at most 254 characters; unique without regard to case.',
      cloud_provider: PROVIDER,
      user_group_ids: GROUPS,
      enrollment_public_key: ENROLLMENT_KEY,
      identity: [
        'Who the person is at the identity provider: nobody else can enrol as this user, and no other user can take this identity. Absent: whoever enrols with the code says it by their token.',
        {
          issuer: 'The `iss` of their tokens, e.g. `https://accounts.google.com`.',
          subject: 'The `oid` of their tokens where Microsoft issues them, else the `sub`.',
        },
      ],
    },
    {
      type: A_PROGRAM,
      display_name: DISPLAY_NAME_TEXT,
      description: DESCRIPTION_TEXT,
      public_key:
        "Ed25519 public key (RFC 8032) that the user's requests are checked with: 32 bytes, base64url without padding or hex.",
      user_group_ids: GROUPS,
      expires_at:
        'From when on the user is refused: RFC 3339 with offset, in the future. Absent: never.',
      allowed_addresses: `${ADDRESSES} Absent: from anywhere.`,
    },
  ],
};

export const updateUserTexts: RequestTexts = {
  name: 'UpdateUserRequest',
  body: {
    display_name: 'New name: 1 to 128 characters. Absent: unchanged.',
    description: 'New description, at most 1024 characters; null: none. Absent: unchanged.',
    user_group_ids: 'All of the groups from now on: at most 20 ids, none twice. Absent: unchanged.',
    public_key:
      'New Ed25519 public key (RFC 8032) of a machine user: 32 bytes, base64url without padding or hex. Absent: unchanged.',
    expires_at:
      'From when on the machine user is refused: RFC 3339 with offset, in the future; null: never. Absent: unchanged.',
    allowed_addresses: `${ADDRESSES} null: from anywhere. Absent: unchanged.`,
    rotate_api_key:
      'Gives a machine user a new API key, which the answer shows; the old one ends. Absent: unchanged.',
    reset_passkeys:
      'Takes all passkeys from a person, who lost them, and gives a new enrolment code, which the answer shows; the identity of their tokens stays. Absent: unchanged.',
    enrollment_public_key: ENROLLMENT_KEY,
  },
};

export const userGroupTexts: RequestTexts = {
  name: 'UserGroupRequest',
  body: {
    display_name:
      'Name for people, unique among user groups without regard to case: 1 to 128 characters, without control characters and without white space at either end.',
    description:
      'Text for people, at most 1024 characters; null: none. Absent: none in a new group, unchanged in an update.',
  },
};

export const userIdsTexts: RequestTexts = {
  query: {
    user_ids: 'Comma-separated ids of users, 1 to 100; 404 when one of them is unknown.',
  },
};

const humanType = s.literal('human').describe(A_PERSON);
const machineType = s.literal('machine').describe(A_PROGRAM);

const userGroupFields = {
  id: id.describe('Id of the user group.'),
  display_name: s.string().describe('Name for people; unique among user groups.'),
  description: s.string().nullable().describe('Text for people; null for none.'),
};

const userGroupReference = s.strictObject(userGroupFields).meta({ id: 'UserGroup' });

export const userGroup = s
  .strictObject({
    ...userGroupFields,
    ...stampFields,
  })
  .meta({ id: 'UserGroupFullInformation' });

const userFields = {
  id: id.describe('Id of the user.'),
  display_name: s.string().describe('Name for people; not unique.'),
  description: s.string().nullable().describe('Text for people; null for none.'),
  user_groups: s.array(userGroupReference).describe('The groups that the user is in.'),
  ...stampFields,
};

const humanFields = {
  type: humanType,
  email: s.string().describe('Email address as it was given.'),
  cloud_provider: s.words(CLOUD_PROVIDERS).describe(PROVIDER),
  enrollment_expires_at: dateTime
    .optional()
    .describe(
      'From when on the enrolment code is good for nothing, 72 hours after it was made; RFC 3339, UTC, milliseconds. Absent: the person has enrolled.',
    ),
};

/** The only answer that carries a secret, shown once. */
export const createdUser = s
  .discriminatedUnion('type', [
    s.strictObject({
      ...userFields,
      ...humanFields,
      enrollment_code: s
        .string()
        .optional()
        .describe(
          'Code for the enrolment of the first passkey, 24 base64url characters. Shown once, when the user is created or their passkeys are reset, unless `enrollment_public_key` was given; absent otherwise.',
        ),
    }),
    s.strictObject({
      ...userFields,
      type: machineType,
      api_key: id
        .optional()
        .describe(
          'The `<uuid>` of `authorization: ApiKey <uuid>`. Shown once, when the user is created or the API key rotated; absent otherwise.',
        ),
    }),
  ])
  .meta({ id: 'User' });

const fullFields = {
  ...userFields,
  ...frozenFields(
    s
      .words(['active', 'frozen', 'expired', 'pending_enrollment'])
      .describe(
        '`frozen`: see `frozen_by`; by its own freeze every request of the user is refused, by one of the system all but reads, freezing and unfreezing. `expired`: `expires_at` is over, every request is refused. `pending_enrollment`: a person without a passkey, who signs nothing.',
      ),
  ),
  credentials: s
    .array(
      s.strictObject({
        id: id.describe('Id of the credential; a new public key has a new one.'),
        type: s
          .words(['passkey', 'ed25519'])
          .describe(
            '`ed25519`: the public key of a machine user. `passkey`: one of a person (WebAuthn).',
          ),
        created_at: dateTime.describe('Since when it is valid; RFC 3339, UTC, milliseconds.'),
        display_name: s
          .string()
          .nullable()
          .optional()
          .describe('Name for people; null for none. Absent: no passkey.'),
        backup_eligible: s
          .boolean()
          .optional()
          .describe(
            'Whether the passkey can be copied to other devices (flag BE). Absent: no passkey.',
          ),
        backed_up: s
          .boolean()
          .optional()
          .describe(
            'Whether it was copied already when it was registered (flag BS). Absent: no passkey.',
          ),
      }),
    )
    .describe('What the requests of the user are checked with; empty for a person without any.'),
  frozen_at: dateTime
    .optional()
    .describe(
      'Since when the user has a freeze of its own; RFC 3339, UTC, milliseconds. Absent: none.',
    ),
  expires_at: dateTime
    .optional()
    .describe('From when on the user is refused; RFC 3339, UTC, milliseconds. Absent: never.'),
};

const allowedAddresses = s
  .array(s.string())
  .optional()
  .describe(
    'Ranges of addresses (CIDR, RFC 4632) that gateways let the API key be used from. Absent: from anywhere.',
  );

export const userFullInformation = s
  .discriminatedUnion('type', [
    s.strictObject({ ...fullFields, ...humanFields }),
    s.strictObject({ ...fullFields, type: machineType, allowed_addresses: allowedAddresses }),
  ])
  .meta({ id: 'UserFullInformation' });

export const userPage = pageOf('UserPage', userFullInformation);
export const userGroupPage = pageOf('UserGroupPage', userGroup);

const userTypeFilter = queryEnum(['human', 'machine']).meta({
  id: 'UserTypeFilter',
  description: 'Type of a user: a person, or a program.',
});

export const listUsersQuery = s.strictObject({
  ...pageQuery,
  display_name_like: nameFilter,
  email_contains: s
    .string()
    .max(254)
    .optional()
    .describe('Part of the email address, without regard to case: people alone. Absent: all.'),
  is_in_groups: commaSeparatedIds
    .optional()
    .describe('Comma-separated ids of user groups: users in at least one of them. Absent: all.'),
  is_type: userTypeFilter.optional().describe('Users of this type alone. Absent: both.'),
  user_ids: commaSeparatedIds
    .optional()
    .describe('Comma-separated ids: these users alone. Absent: all.'),
});
