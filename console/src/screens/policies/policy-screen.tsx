/** One policy: its rules in order, and the way of a change: draft, lint, evaluate, backtest, publish. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { OrderedList } from '../../design/ordered-list.js';
import {
  Badge,
  Fact,
  Facts,
  Panel,
  Quiet,
  Row,
  Screen,
  Time,
  Unseen,
} from '../../design/pieces.js';
import { useKept } from '../../session/kept-input.js';
import { Fault } from '../../vault/fault.js';
import { visibleText } from '../../design/visible-text.js';
import { UserName } from '../../vault/names.js';
import { BacktestPanel } from './backtest-panel.js';
import { DeletePolicyDialog } from './delete-policy-dialogs.js';
import { EvaluatePanel } from './evaluate-panel.js';
import { usePoliciesBefore } from './group-policies.js';
import { useKnownIds } from './known-ids.js';
import { NewerVersionPanel } from './newer-version-panel.js';
import {
  draftOf,
  draftOver,
  faultsOfDraft,
  newRule,
  rulesOfDraft,
  withoutRule,
  withRuleAdded,
  withRuleChanged,
  withRuleMoved,
  type DraftFault,
  type DraftRule,
  type PolicyDraft,
} from './policy-draft.js';
import { useDirectory, usePolicy, type Directory, type SigningPolicy } from './policy-queries.js';
import { PublishPanel } from './publish-panel.js';
import { RuleCard } from './rule-card.js';
import { RuleDialog } from './rule-dialog.js';
import { useLint, useUnreachable } from './use-lint.js';
import { VersionsPanel } from './versions-panel.js';

export function PolicyScreen() {
  const { policyId } = useParams({ strict: false }) as { policyId: string };
  const { data: policy, error } = usePolicy(policyId);
  if (policy === undefined) {
    return (
      <Screen title="Policy">
        <Fault error={error} />
        {error === null && <Quiet>Loading the policy …</Quiet>}
      </Screen>
    );
  }
  return <LoadedPolicy key={policy.id} policy={policy} />;
}

interface KeptDraft {
  readonly draft: PolicyDraft;
  /** That it was begun from. */
  readonly version: number;
}

function LoadedPolicy({ policy }: { readonly policy: SigningPolicy }) {
  const [kept, keep] = useKept<KeptDraft | undefined>(`draft of policy ${policy.id}`, undefined);
  const draft = kept?.draft;
  const version = kept?.version ?? policy.version;
  const begin = (changed: PolicyDraft) => keep({ draft: changed, version: policy.version });
  const directory = useDirectory(draft === undefined ? policy.rules : rulesOfDraft(draft));
  return (
    <Screen title={visibleText(policy.display_name)}>
      <Row>
        <Link to="/policies">All policies</Link>
      </Row>
      <Facts>
        <Fact name="Version">{policy.version}</Fact>
        <Fact name="Place in its group">{policy.position}</Fact>
        <Fact name="Last changed">
          <Time at={policy.last_updated_at} /> by <UserName id={policy.last_updated_by} />
        </Fact>
      </Facts>
      {draft === undefined ? (
        <InForce
          policy={policy}
          directory={directory}
          onEdit={() => begin(draftOf(policy.rules))}
        />
      ) : (
        <DraftEditor
          policy={policy}
          draft={draft}
          directory={directory}
          version={version}
          setDraft={(changed) => keep({ draft: changed, version })}
          onBegin={begin}
          onEnd={() => keep(undefined)}
        />
      )}
    </Screen>
  );
}

interface InForceProps {
  readonly policy: SigningPolicy;
  readonly directory: Directory;
  readonly onEdit: () => void;
}

function InForce({ policy, directory, onEdit }: InForceProps) {
  const [isDeleting, setDeleting] = useState(false);
  const unreachable = useUnreachable(policy.rules, usePoliciesBefore(policy));
  return (
    <>
      <Panel title="Rules in force">
        <OrderedList
          label="Rules in force, first to be evaluated first"
          items={policy.rules}
          keyOf={({ id }) => id}
          nameOf={(rule) => rule.display_name}
        >
          {(rule, place) => (
            <>
              <RuleCard rule={rule} names={directory.names} />
              <Unreachable found={unreachable} place={place} />
            </>
          )}
        </OrderedList>
        <FallsThrough />
        <Row>
          <Button kind="main" onPress={onEdit}>
            Edit as a draft
          </Button>
        </Row>
      </Panel>
      <VersionsPanel key={policy.version} policy={policy} />
      <Row>
        <Button kind="danger" onPress={() => setDeleting(true)}>
          Delete {visibleText(policy.display_name)}…
        </Button>
      </Row>
      {isDeleting && <DeletePolicyDialog policy={policy} onClose={() => setDeleting(false)} />}
    </>
  );
}

interface UnreachableProps {
  readonly found: readonly DraftFault[];
  readonly place: number;
}

function Unreachable({ found, place }: UnreachableProps) {
  return found
    .filter(({ index }) => index === place)
    .map(({ text }) => (
      <p key={text} role="status">
        <Badge mood="warn">no effect</Badge> {text}
      </p>
    ));
}

function FallsThrough() {
  return (
    <Quiet>
      The first rule that fits decides. A request beyond the limits of a rule does not fit it: it
      falls through to the next one. What none of these rules allows is denied.
    </Quiet>
  );
}

interface DraftEditorProps {
  readonly policy: SigningPolicy;
  readonly draft: PolicyDraft;
  /** Of the policy, when the draft was begun. */
  readonly version: number;
  readonly directory: Directory;
  readonly setDraft: (draft: PolicyDraft) => void;
  /** From what is in force now. */
  readonly onBegin: (draft: PolicyDraft) => void;
  readonly onEnd: () => void;
}

function DraftEditor(editor: DraftEditorProps) {
  const { policy, draft, version, directory, setDraft, onBegin, onEnd } = editor;
  const [edited, setEdited] = useState<DraftRule>();
  const rules = rulesOfDraft(draft);
  const faults = faultsOfDraft(draft, useLint(useKnownIds(rules)));
  const blocked = faults.length > 0 ? 'Mend what is wrong with the rules first.' : undefined;
  return (
    <>
      {version !== policy.version && (
        <NewerVersionPanel
          policy={policy}
          version={version}
          onKeepDraft={() => onBegin(draftOver(draft, policy.rules))}
          onStartAgain={() => onBegin(draftOf(policy.rules))}
        />
      )}
      <DraftRules {...editor} faults={faults} onEdit={setEdited} />
      <EvaluatePanel policy={policy} rules={rules} blocked={blocked} />
      <BacktestPanel policy={policy} rules={rules} blocked={blocked} />
      <PublishPanel
        policy={policy}
        rules={rules}
        version={version}
        blocked={blocked}
        onEnd={onEnd}
      />
      {edited !== undefined && (
        <RuleDialog
          rule={edited.rule}
          directory={directory}
          onKeep={(rule) => setDraft(withRuleChanged(draft, edited.key, rule))}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

type DraftRulesProps = DraftEditorProps & {
  readonly faults: readonly DraftFault[];
  readonly onEdit: (rule: DraftRule) => void;
};

function DraftRules({ policy, draft, directory, setDraft, onEnd, ...props }: DraftRulesProps) {
  const { faults, onEdit } = props;
  const unreachable = useUnreachable(rulesOfDraft(draft), usePoliciesBefore(policy));
  const add = () => {
    const added = newRule();
    setDraft(withRuleAdded(draft, added));
    onEdit(added);
  };
  const faultsAt = (place: number) => faults.filter(({ index }) => index === place);
  return (
    <Panel title="Draft">
      <Quiet>
        Nothing of it is in force, and it is kept until you sign out. Drag a rule, or move it with
        its arrows.
      </Quiet>
      <FallsThrough />
      <OrderedList
        label="Rules of the draft, first to be evaluated first"
        items={draft}
        keyOf={({ key }) => key}
        nameOf={({ rule }) => rule.display_name}
        onMove={({ key }, to) => setDraft(withRuleMoved(draft, key, to))}
      >
        {(one, place) => (
          <>
            <RuleCard rule={one.rule} names={directory.names} />
            {faultsAt(place).map(({ text }) => (
              <Fault key={text} error={text} />
            ))}
            <Unreachable found={unreachable} place={place} />
            <Row>
              <Button onPress={() => onEdit(one)}>
                Edit<Unseen> {visibleText(one.rule.display_name)}</Unseen>
              </Button>
              <Button onPress={() => setDraft(withoutRule(draft, one.key))}>
                Take out<Unseen> {visibleText(one.rule.display_name)}</Unseen>
              </Button>
            </Row>
          </>
        )}
      </OrderedList>
      <WholeFaults faults={faults} />
      <Row>
        <Button onPress={add}>Add a rule</Button>
        <Button onPress={onEnd}>Throw the draft away</Button>
      </Row>
    </Panel>
  );
}

/** What is wrong with the rules together, or that nothing is. */
function WholeFaults({ faults }: Pick<DraftRulesProps, 'faults'>) {
  if (faults.length === 0) {
    return (
      <p role="status">
        <Badge mood="good">checked</Badge> Nothing is wrong with these rules, as far as this page
        can see.
      </p>
    );
  }
  return faults
    .filter(({ index }) => index === undefined)
    .map(({ text }) => <Fault key={text} error={text} />);
}
