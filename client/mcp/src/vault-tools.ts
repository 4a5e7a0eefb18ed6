/**
 * What a model can ask of a vault. Each tool is one operation, or several reads, as the user whose credential the server has:
 * the vault decides by that user's rules. None changes a rule, a right, a freeze or a user.
 */
import type { CallResult } from '@countersign/client/call-result.js';
import type { CountersignClient, OperationInput } from '@countersign/client/countersign-client.js';
import { z } from 'zod';
import { readLimits } from './read-limits.js';

type Evaluation = OperationInput<'evaluate-signing-policies'>['body'];

export interface VaultTool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly isReadOnly: boolean;
  /** `input`: as its schema says. */
  run(input: unknown): Promise<CallResult<unknown>>;
}

const keyId = z.string().describe('Id of the key, as read_limits tells it.');

const venueRequest = z
  .object({
    channel: z.enum(['rest', 'ws', 'fix']),
    method: z.string().describe("HTTP method; for ws and fix the venue's name of the operation."),
    path: z.string().optional().describe('With its leading slash, without query.'),
    query: z.string().optional().describe('Without question mark, in the order of sending.'),
    body: z.string().optional().describe('As it is to be sent.'),
  })
  .describe('The request to the venue, without clock, nonce, credentials and signature.');

const wallet = {
  vault_id: z.string().describe("Id of the wallet's vault."),
  address: z.string().describe('Address of the wallet.'),
  network_id: z.string().describe('For example solana-mainnet.'),
  transaction: z.string().describe('The unsigned transaction in base64.'),
};

function tool<Input extends z.ZodObject>(
  input: Input,
  run: (given: z.output<Input>) => Promise<CallResult<unknown>>,
  {
    name,
    description,
    isReadOnly = true,
  }: Pick<VaultTool, 'name' | 'description'> & { isReadOnly?: boolean },
): VaultTool {
  return { name, description, input, isReadOnly, run: (given) => run(input.parse(given)) };
}

export function toolsOf(client: CountersignClient): VaultTool[] {
  return [...readingTools(client), ...signingTools(client)];
}

function readingTools({ call, pages }: CountersignClient): VaultTool[] {
  const evaluate = (given: Omit<Evaluation, 'operation'>) =>
    call('evaluate-signing-policies', { body: { operation: 'sign', ...given } });
  return [
    tool(z.object({}), () => readLimits({ call, pages }), {
      name: 'read_limits',
      description:
        'The rules of the vault that speak of you, with their limits, and the keys and wallets that they are about.',
    }),
    tool(z.object({ key_id: keyId, venue_request: venueRequest }), evaluate, {
      name: 'evaluate_venue_request',
      description: 'What the vault would decide about a request to an exchange. Signs nothing.',
    }),
    tool(z.object(wallet), evaluate, {
      name: 'evaluate_transaction',
      description: 'What the vault would decide about a transaction. Signs nothing.',
    }),
    tool(z.object({ request_id: z.string() }), (params) => call('get-request', { params }), {
      name: 'read_request',
      description:
        'What became of a request, and its result: of one that waits for approvals, for example.',
    }),
  ];
}

function signingTools({ call }: CountersignClient): VaultTool[] {
  return [
    tool(
      z.object({ key_id: keyId, venue_request: venueRequest }),
      ({ key_id, venue_request }) =>
        call('sign-with-key', { params: { key_id }, body: { venue_request } }),
      {
        name: 'sign_venue_request',
        description:
          'Signs a request to an exchange, if the rules allow it, and gives it back complete. It is sent by nobody yet.',
        isReadOnly: false,
      },
    ),
    tool(
      z.object(wallet),
      ({ vault_id, address, ...body }) => call('sign', { params: { vault_id, address }, body }),
      {
        name: 'sign_transaction',
        description:
          'Signs a transaction of a wallet, if the rules allow it. It is sent by nobody yet.',
        isReadOnly: false,
      },
    ),
  ];
}
