/** What both parties signed about a signature: it binds what was asked for, by which rule, to one head of the ledger. */
import { useState } from 'react';
import type { PinnedVault } from '@countersign/client/pinned-vault.js';
import { CopyButton } from '../../design/copy-button.js';
import { CopyableId } from '../../design/copyable-id.js';
import { Badge, Fact, Facts, Panel, Quiet, Time } from '../../design/pieces.js';
import { GenesisForm } from '../../vault/genesis-form.js';
import { KeyLink, UserLink } from '../../vault/names.js';
import { keptGenesis } from '../../vault/trusted-genesis.js';
import { SigningRuleName } from './asking-rules.js';
import { findReceiptFault } from './receipt-check.js';
import type { RequestRecord } from './shown-record.js';

type Receipt = NonNullable<RequestRecord['receipt']>;

interface ReceiptPanelProps {
  readonly record: RequestRecord;
  /** Of the page: what the record says of itself is the gateway's word. */
  readonly requestId: string;
}

export function ReceiptPanel({ record, requestId }: ReceiptPanelProps) {
  const [pinned, setPinned] = useState(keptGenesis);
  const { receipt } = record;
  if (receipt === undefined) return null;
  return (
    <Panel title="Receipt">
      {pinned === undefined ? (
        <NothingTrusted onPin={setPinned} />
      ) : (
        <Verdict
          fault={findReceiptFault(record, receipt, requestId, pinned)}
          receipt={receipt}
          pinned={pinned}
          onPin={setPinned}
        />
      )}
      <ReceiptFacts receipt={receipt} />
      <CopyButton text={JSON.stringify(receipt)} what="the receipt" />
    </Panel>
  );
}

interface WithPin {
  readonly onPin: (pinned: PinnedVault) => void;
}

function NothingTrusted({ onPin }: WithPin) {
  return (
    <>
      <p role="status">
        <Badge mood="warn">not verified</Badge> This browser trusts no genesis yet, so all of this
        is the gateway’s word.
      </p>
      <Quiet>
        Ask an operator for the vault’s <code>genesis.json</code>, which{' '}
        <code>countersign genesis</code> prints on the machine of a party, and paste it: then this
        page checks every receipt against the signatures of the parties.
      </Quiet>
      <GenesisForm onPin={onPin} />
    </>
  );
}

interface VerdictProps extends WithPin {
  readonly fault: string | undefined;
  readonly receipt: Receipt;
  readonly pinned: PinnedVault;
}

function Verdict({ fault, receipt, pinned, onPin }: VerdictProps) {
  return (
    <>
      {fault === undefined ? (
        <p role="status">
          <Badge mood="good">verified in this page</Badge>{' '}
          {receipt.parties.map((party) => `Party ${party}`).join(' and ')} of the genesis that this
          browser trusts signed exactly this.
        </p>
      ) : (
        <p role="alert">
          <Badge mood="bad">does not verify</Badge> The receipt {fault}. Take nothing of it for
          true, and raise an alarm. Where a party was replaced since, bring the genesis anew first.
        </p>
      )}
      <Facts>
        <Fact name="Trusted genesis">
          <CopyableId text={pinned.genesisHash} what="genesis hash" />
        </Fact>
        {pinned.identities.map(({ party, identityPublicKey }) => (
          <Fact key={party} name={`Party ${party} is known by`}>
            <CopyableId text={identityPublicKey} what={`key of party ${party}`} />
          </Fact>
        ))}
      </Facts>
      {fault !== undefined && <GenesisForm onPin={onPin} />}
    </>
  );
}

function ReceiptFacts({ receipt }: { readonly receipt: Receipt }) {
  const { policy, parties, approvals, prices = [] } = receipt;
  return (
    <Facts>
      <Fact name="Signed by">{parties.map((party) => `party ${party}`).join(' and ')}</Fact>
      <Fact name="Signed at">
        <Time at={receipt.signed_at} isExact />
      </Fact>
      <Fact name="With the key">
        <KeyLink id={receipt.key_id} />
      </Fact>
      <Fact name="Allowed by">
        <SigningRuleName
          asking={{ policy_id: policy.id, version: policy.version }}
          ruleId={policy.rule_id}
        />
      </Fact>
      {approvals.map(({ user_id: userId }) => (
        <Fact key={userId} name="Approved by">
          <UserLink id={userId} />
        </Fact>
      ))}
      {prices.map(({ asset, price, at, relay }) => (
        <Fact key={`${asset} ${relay}`} name="Valued at">
          {price} USD for one {asset}, of relay {relay}, <Time at={at} />
        </Fact>
      ))}
      <Fact name="Over ledger entry">
        {receipt.ledger_seq} <CopyableId text={receipt.ledger_hash} what="hash of the entry" />
      </Fact>
      <Fact name="SHA-256 of the message">
        <CopyableId text={receipt.message_sha256} what="hash of the message" />
      </Fact>
      <Fact name="SHA-256 of the signature">
        <CopyableId text={receipt.signature_sha256} what="hash of the signature" />
      </Fact>
    </Facts>
  );
}
