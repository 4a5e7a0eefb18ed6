/** What both parties signed about a signature: it binds what was asked for, by which rule, to one head of the ledger. */
import { CopyButton } from '../../design/copy-button.js';
import { Fact, Facts, Panel, Quiet, Time } from '../../design/pieces.js';
import { KeyName, UserName } from '../../vault/names.js';
import { SigningRuleName } from './asking-rules.js';
import type { RequestRecord } from './shown-record.js';

const VERIFY = 'npm run --silent countersign -- receipt verify receipt.json --genesis genesis.json';

export function ReceiptPanel({ record: { receipt } }: { readonly record: RequestRecord }) {
  if (receipt === undefined) return null;
  const { policy, parties, approvals } = receipt;
  return (
    <Panel title="Receipt">
      <Facts>
        <Fact name="Signed by">{parties.map((party) => `party ${party}`).join(' and ')}</Fact>
        <Fact name="Signed at">
          <Time at={receipt.signed_at} />
        </Fact>
        <Fact name="With the key">
          <KeyName id={receipt.key_id} />
        </Fact>
        <Fact name="Allowed by">
          <SigningRuleName
            asking={{ policy_id: policy.id, version: policy.version }}
            ruleId={policy.rule_id}
          />
        </Fact>
        {approvals.map(({ user_id: userId }) => (
          <Fact key={userId} name="Approved by">
            <UserName id={userId} />
          </Fact>
        ))}
        <Fact name="Over ledger entry">
          {receipt.ledger_seq}, <code>{receipt.ledger_hash}</code>
        </Fact>
        <Fact name="SHA-256 of the message">
          <code>{receipt.message_sha256}</code>
        </Fact>
        <Fact name="SHA-256 of the signature">
          <code>{receipt.signature_sha256}</code>
        </Fact>
      </Facts>
      <Quiet>
        This is what the gateway says. To check both parties’ signatures, save the receipt and the
        genesis that you trust on a machine of your own, and run <code>{VERIFY}</code>.
      </Quiet>
      <CopyButton text={JSON.stringify(receipt)} what="the receipt" />
    </Panel>
  );
}
