import { describe, expect, it } from '@jest/globals';
import type {
  OperationBody,
  OperationParams,
  OperationQuery,
  OperationResponse,
} from '../operation.js';
import { API_OPERATIONS } from './api-operations.js';

type Operation<Id extends keyof typeof API_OPERATIONS> = (typeof API_OPERATIONS)[Id];

describe('the operations of the API', () => {
  it('stand under their own ids', () => {
    for (const [id, operation] of Object.entries(API_OPERATIONS)) expect(operation.id).toBe(id);
  });

  it('describe every parameter of their paths, and no other', () => {
    for (const { path, params } of Object.values(API_OPERATIONS)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(params)).toEqual(names);
    }
  });

  it('tell a caller the types of a call', () => {
    const params: OperationParams<Operation<'get-wallet'>> = { vault_id: 'v', address: 'a' };
    const query: OperationQuery<Operation<'list-users'>> = { is_type: 'machine', limit: '10' };
    const body: OperationBody<Operation<'create-vault'>> = { display_name: 'Treasury' };
    const answer: OperationResponse<Operation<'create-vault'>>['status'] = 'frozen';
    // @ts-expect-error the path has no such parameter
    const wrongParams: OperationParams<Operation<'get-vault'>> = { vault: 'v' };
    // @ts-expect-error a vault has a name
    const wrongBody: OperationBody<Operation<'create-vault'>> = { description: 'Treasury' };
    // @ts-expect-error no vault has this status
    const wrongAnswer: OperationResponse<Operation<'create-vault'>>['status'] = 'disabled';
    expect([params, query, body, answer, wrongParams, wrongBody, wrongAnswer]).toHaveLength(7);
  });
});
