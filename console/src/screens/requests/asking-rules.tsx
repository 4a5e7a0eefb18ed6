/** The policies and rules for which a request waits, by name where the viewer may look at them. */
import { Link } from '@tanstack/react-router';
import { Fact, Facts, Name, Panel, Quiet } from '../../design/pieces.js';
import { useRead } from '../../vault/vault-queries.js';
import type { RequestRecord } from './shown-record.js';

type Asking = NonNullable<RequestRecord['asked_by']>[number];

export function AskingRules({ record }: { readonly record: RequestRecord }) {
  const { asked_by: asking = [] } = record;
  if (asking.length === 0) return null;
  return (
    <Panel title={record.status === 'processing' ? 'Why it waits' : 'Why it waited'}>
      <Facts>
        {asking.map((one) => (
          <Fact key={`${one.policy_id} ${one.rule_id ?? ''}`} name={wants(one)}>
            {one.rule_id === undefined ? (
              <AdminPolicyName asking={one} />
            ) : (
              <SigningRuleName asking={one} ruleId={one.rule_id} />
            )}
          </Fact>
        ))}
      </Facts>
      <Quiet>
        What asks, and for how many approvals, is what this gateway says: your approval may be the
        last.
        {asking.some(({ rule_id: rule }) => rule !== undefined) &&
          ' An approval counts for these rules and for no other.'}
      </Quiet>
    </Panel>
  );
}

function wants({ quorum }: Asking): string {
  if (quorum === 0) return 'Delays it';
  return quorum === 1 ? 'Asks for 1 approval' : `Asks for ${quorum} approvals`;
}

function AdminPolicyName({ asking: { policy_id: id, version } }: { readonly asking: Asking }) {
  const params = { policy_id: id, version: String(version) };
  const { data } = useRead('get-admin-policy-version', { params });
  return (
    <>
      Administrative policy{' '}
      {data === undefined ? <code>{id}</code> : <Name text={data.display_name} />}, version{' '}
      {version}
    </>
  );
}

/** With its policy, by name where the viewer may look at them. */
export function SigningRuleName({
  asking,
  ruleId,
}: {
  readonly asking: Pick<Asking, 'policy_id' | 'version'>;
  readonly ruleId: string;
}) {
  const { policy_id: id, version } = asking;
  const params = { policy_id: id, version: String(version) };
  const { data } = useRead('get-signing-policy-version', { params });
  const rule = data?.rules.find((one) => one.id === ruleId);
  return (
    <>
      Rule{' '}
      {rule === undefined ? <code>{ruleId}</code> : <Name text={rule.display_name ?? ruleId} />} of
      signing policy{' '}
      <Link to="/policies/$policyId" params={{ policyId: id }}>
        {data === undefined ? <code>{id}</code> : <Name text={data.display_name} />}
      </Link>
      , version {version}
    </>
  );
}
