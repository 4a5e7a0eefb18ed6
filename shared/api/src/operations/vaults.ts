import { apiOperation, READ, WRITE } from '../operation.js';
import {
  listVaultsQuery,
  updateVaultTexts,
  vault,
  createVaultTexts,
  vaultPage,
} from '../vault-schema.js';
import { vault as vaultExample } from '../example-values.js';
import { createVaultRequest, updateVaultRequest } from '../requests/vaults.js';

const tag = 'vaults';

export const createVaultOperation = apiOperation({
  ...WRITE,
  tag,
  ...createVaultRequest,
  texts: createVaultTexts,
  summary: 'Create a vault: permanent, it cannot be deleted',
  description:
    'Creates an empty vault. A vault is a name for wallets that belong together: administrative policies can be scoped to it, and it can be frozen as a whole. ' +
    'Answers 409 when another vault has the name, compared without the case of ASCII letters.',
  response: vault,
  example: {
    body: { display_name: 'Treasury', description: 'Cold funds of the desk' },
    response: { ...vaultExample, wallet_count: 0 },
  },
});

export const updateVaultOperation = apiOperation({
  ...WRITE,
  tag,
  ...updateVaultRequest,
  texts: updateVaultTexts,
  summary: 'Update a vault',
  description:
    'Changes the name or the description; what is not given stays. Answers 404 when there is no such vault. Answers 409 when another vault has the name.',
  response: vault,
  example: { body: { description: 'Cold funds of the desk' }, response: vaultExample },
});

export const listVaultsOperation = apiOperation({
  ...READ,
  tag,
  id: 'list-vaults',
  path: '/v1/vaults',
  summary: 'List vaults',
  description:
    'Vaults in the order of their creation, oldest first, page by page. Only what matches every given filter is listed.',
  query: listVaultsQuery,
  response: vaultPage,
  example: {
    query: { display_name_like: 'treas' },
    response: { results: [vaultExample], next_cursor: null },
  },
});

export const getVaultOperation = apiOperation({
  ...READ,
  tag,
  id: 'get-vault',
  path: '/v1/vaults/{vault_id}',
  summary: 'Get a vault',
  description: 'One vault. Answers 404 when there is no such vault.',
  response: vault,
  example: { response: vaultExample },
});

export const VAULT_OPERATIONS = [
  createVaultOperation,
  updateVaultOperation,
  listVaultsOperation,
  getVaultOperation,
] as const;
