import type { CallResult } from '@countersign/client/call-result.js';
import type { OperationCalls } from '@countersign/client/operation-calls.js';
import { Quiet } from '../../design/pieces.js';
import { useSession } from '../../session/session-store.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { useChange } from '../../vault/vault-queries.js';
import type { FirstThings, FirstWallet } from './first-things.js';
import { StepPanel } from './step-panel.js';

export function PolicyStep({ things }: { readonly things: FirstThings }) {
  const { wallet, hasPolicy } = things;
  return (
    <StepPanel number={5} title="A policy" isDone={hasPolicy}>
      <Quiet>
        Nothing is signed unless the first rule that fits allows it. A security group joins the
        wallet to the policies that say who may sign what with it.
      </Quiet>
      {!hasPolicy && wallet === undefined && <Quiet>It needs the wallet first.</Quiet>}
      {!hasPolicy && wallet !== undefined && <NewPolicy wallet={wallet} />}
    </StepPanel>
  );
}

function NewPolicy({ wallet }: { readonly wallet: FirstWallet }) {
  const { person } = useSession();
  const create = useChange((calls) => createPolicy(calls, wallet, person.id));
  return (
    <>
      <Quiet>
        This one allows raw messages of yours with this wallet, and nothing else. You are asked for
        your passkey twice: for the group, and for the policy.
      </Quiet>
      <ConfirmedChange label="Allow me to sign messages with this wallet" change={create} />
    </>
  );
}

const NAME = 'First steps';

async function createPolicy(
  calls: OperationCalls,
  { id, vault_id: vaultId }: FirstWallet,
  userId: string,
): Promise<CallResult<unknown>> {
  const group = await calls.call('create-security-group', {
    body: {
      display_name: `${NAME} of ${userId.slice(0, 8)} with ${id.slice(0, 8)}`,
      vault_ids: [vaultId],
      members: [{ member_id: id, member_type: 'wallet' }],
    },
  });
  if (!group.ok) return group;
  return calls.call('create-signing-policy', {
    body: {
      display_name: NAME,
      security_group_id: group.value.id,
      rules: [
        {
          display_name: 'one person may sign messages',
          when: { operations: ['raw_sign'], initiators: { user_ids: [userId] } },
          then: 'allow',
        },
      ],
    },
  });
}
