/** What a version of a policy changed. */
import { useState } from 'react';
import { Field, Panel, Quiet } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { useRead } from '../../vault/vault-queries.js';
import { DiffView } from './diff-view.js';
import type { SigningPolicy } from './policy-queries.js';

export function VersionsPanel({ policy }: { readonly policy: SigningPolicy }) {
  const [from, setFrom] = useState(policy.version - 1);
  const [to, setTo] = useState(policy.version);
  const before = useVersion(policy, from);
  const after = useVersion(policy, to);
  if (policy.version === 1) return <Quiet>This is its first version.</Quiet>;
  return (
    <Panel title="Compare versions">
      <VersionField label="From version" newest={policy.version} value={from} onChange={setFrom} />
      <VersionField label="To version" newest={policy.version} value={to} onChange={setTo} />
      <Fault error={before.error ?? after.error} />
      {before.data !== undefined && after.data !== undefined && (
        <DiffView before={before.data.rules} after={after.data.rules} />
      )}
    </Panel>
  );
}

function useVersion({ id, version: newest }: SigningPolicy, version: number) {
  return useRead(
    'get-signing-policy-version',
    { params: { policy_id: id, version: String(version) } },
    { isWanted: version >= 1 && version <= newest },
  );
}

interface VersionFieldProps {
  readonly label: string;
  readonly newest: number;
  readonly value: number;
  readonly onChange: (version: number) => void;
}

function VersionField({ label, newest, value, onChange }: VersionFieldProps) {
  return (
    <Field label={label}>
      <input
        type="number"
        min={1}
        max={newest}
        value={value}
        onChange={({ target }) => onChange(Number(target.value))}
      />
    </Field>
  );
}
