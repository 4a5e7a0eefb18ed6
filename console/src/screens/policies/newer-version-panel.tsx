/** A policy that has changed since a draft of it was begun: whether the draft replaces the newer version is chosen here. */
import { Button } from '../../design/button.js';
import { Badge, Panel, Quiet, Row } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { useRead } from '../../vault/vault-queries.js';
import { DiffView } from './diff-view.js';
import type { SigningPolicy } from './policy-queries.js';

interface NewerVersionPanelProps {
  readonly policy: SigningPolicy;
  /** Of the policy, when the draft was begun. */
  readonly version: number;
  readonly onKeepDraft: () => void;
  readonly onStartAgain: () => void;
}

export function NewerVersionPanel(props: NewerVersionPanelProps) {
  const { policy, version, onKeepDraft, onStartAgain } = props;
  const params = { policy_id: policy.id, version: String(version) };
  const { data: begun, error } = useRead('get-signing-policy-version', { params });
  return (
    <Panel title={`Changed by version ${policy.version}`}>
      <p role="status">
        <Badge mood="warn">another version</Badge> You began this draft from version {version}.
        Version {policy.version} is in force now. Since version {version} this has changed:
      </p>
      <Fault error={error} />
      {begun !== undefined && <DiffView before={begun.rules} after={policy.rules} />}
      <Row>
        <Button onPress={onStartAgain}>Start again from version {policy.version}</Button>
        <Button kind="danger" onPress={onKeepDraft}>
          Replace version {policy.version} with mine
        </Button>
      </Row>
      <Quiet>
        Starting again throws your draft away. Replacing undoes the changes above, unless your draft
        makes them too: read what differs under “Publish” before you sign.
      </Quiet>
    </Panel>
  );
}
