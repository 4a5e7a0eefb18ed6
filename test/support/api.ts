/** Short ways to say what a request should come to. */
import { expect } from '@jest/globals';
import type { ErrType } from '@countersign/core/errors.js';
import { ERR_STATUS } from '@countersign/core/err-status.js';
import type { ClientResponse, RawClient } from '../../client/dist/calls/raw-client.js';
import { expectOk, PATIENT, type VaultInUse } from './test-vault.ts';

export interface Page<Row> {
  readonly results: Row[];
  readonly next_cursor: string | null;
}

/** A read with the credential alone, anything else signed. */
export function call(
  client: RawClient,
  method: string,
  target: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ClientResponse> {
  return method === 'GET' && body === undefined
    ? client.get(target)
    : client.send({ method, target, headers, ...(body !== undefined && { body }) });
}

/** Status, `err_type` and, where given, a part of the text. */
export async function expectRefusal(
  errType: ErrType,
  client: RawClient,
  method: string,
  target: string,
  body?: unknown,
  text?: string | RegExp,
): Promise<void> {
  // the parties may be the ones who refuse
  const response = await call(client, method, target, body, PATIENT);
  expect({ method, target, status: response.status, body: response.body }).toEqual({
    method,
    target,
    status: ERR_STATUS[errType],
    body: { err_type: errType, err_msg: text === undefined ? expect.any(String) : matching(text) },
  });
}

function matching(text: string | RegExp): unknown {
  return typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text);
}

/** Every row of a list, page by page; `between` runs before each further page. */
export async function allPages<Row>(
  client: RawClient,
  target: string,
  between: (page: number) => Promise<unknown> = async () => undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = null;
  for (let page = 1; page === 1 || cursor !== null; page++) {
    if (page > 1) await between(page);
    const at = cursor === null ? target : `${target}&cursor=${encodeURIComponent(cursor)}`;
    const answer: Page<Row> = await expectOk(client, 'GET', at);
    rows.push(...answer.results);
    cursor = answer.next_cursor;
  }
  return rows;
}

/** An administrative policy that lets (or forbids) one user do one thing. Its id. */
export async function grant(
  vault: VaultInUse,
  userId: string,
  action: string,
  options: { effect?: 'allow' | 'deny'; vaultIds?: string[] } = {},
): Promise<string> {
  const { effect = 'allow', vaultIds } = options;
  const policy = await expectOk<{ id: string }>(vault.admin, 'POST', '/v1/admin-policies', {
    display_name: `${effect} ${action}`,
    action,
    effect,
    subjects: { user_ids: [userId] },
    ...(vaultIds !== undefined && { scope: { vault_ids: vaultIds } }),
  });
  return policy.id;
}
