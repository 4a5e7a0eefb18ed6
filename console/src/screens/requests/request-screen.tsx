/** One request: what it says, why it waits, what happened to it, and what the viewer can do about it. */
import { Link, useParams } from '@tanstack/react-router';
import { Block, Fact, Facts, Panel, Quiet, Row, Screen, Time } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { KeyName, UserName, VaultName } from '../../vault/names.js';
import { useRead } from '../../vault/vault-queries.js';
import { AskingRules } from './asking-rules.js';
import { DecisionPanel } from './decision-panel.js';
import { completionWords } from './completion-words.js';
import { DigestFacts } from './digest-facts.js';
import { OrderInRequest } from './order-in-request.js';
import {
  asksVenue,
  contentTextOf,
  messageTextOf,
  signerOf,
  type Signer,
} from './request-content.js';
import { titleOf } from './order-reading.js';
import { ReceiptPanel } from './receipt-panel.js';
import { RequestFacts } from './request-facts.js';
import { venueWordOf } from './signer-venue.js';
import type { RequestRecord } from './shown-record.js';
import { RequestTimeline } from './request-timeline.js';
import { StatusBadge } from './status-badge.js';

const LOOK_MS = 3_000;

export function RequestScreen() {
  const { requestId } = useParams({ from: '/requests/$requestId' });
  const { data, error, isPending } = useRead(
    'get-request',
    { params: { request_id: requestId } },
    { everyMs: LOOK_MS },
  );
  return (
    <Screen title="Request" lead={data === undefined ? undefined : titleOf(data)}>
      <Row>
        <Link to="/">All that waits for you</Link>
        <Link to="/requests">All requests</Link>
      </Row>
      {isPending && <Quiet>Loading the request …</Quiet>}
      <Fault error={error} />
      {data !== undefined && <RequestView record={data} />}
    </Screen>
  );
}

function RequestView({ record }: { readonly record: RequestRecord }) {
  const completed = completionWords(record);
  return (
    <>
      <Panel title="What is asked">
        <Facts>
          <Fact name="Status">
            <StatusBadge record={record} />
          </Fact>
          {completed !== undefined && <Fact name="“Completed” means">{completed}</Fact>}
          <Fact name="Operation">{record.operation}</Fact>
          {record.content !== undefined && <SignerFact signer={signerOf(record.content)} />}
          <Fact name="Asked by">
            <UserName id={record.created_by} />
          </Fact>
          <Fact name="Asked at">
            <Time at={record.created_at} />
          </Fact>
          {record.expires_at !== null && (
            <Fact name="Can be approved until">
              <Time at={record.expires_at} />
            </Fact>
          )}
          {record.facts !== undefined && (
            <RequestFacts
              facts={record.facts}
              hasOrder={asksVenue(record)}
              venueWord={venueWordOf(record)}
            />
          )}
        </Facts>
        <SignedContent record={record} />
      </Panel>
      <AskingRules record={record} />
      <DecisionPanel record={record} />
      <ReceiptPanel record={record} />
      <RequestTimeline record={record} />
    </>
  );
}

function SignerFact({ signer }: { readonly signer: Signer | undefined }) {
  if (signer === undefined) return null;
  if ('keyId' in signer) {
    return (
      <Fact name="Key">
        <KeyName id={signer.keyId} />
      </Fact>
    );
  }
  return (
    <Fact name="Wallet">
      <code>{signer.address}</code> in <VaultName id={signer.vaultId} />
    </Fact>
  );
}

/** The bytes that were signed by whoever asked: what an approval is for, whatever the reading above says. */
function SignedContent({ record }: { readonly record: RequestRecord }) {
  const { content } = record;
  if (content === undefined) {
    return (
      <Quiet>Its content is shown while it waits, and of a signature once it is decided.</Quiet>
    );
  }
  const message = messageTextOf(content);
  return (
    <>
      <OrderInRequest record={record} />
      <h3>
        {record.status === 'processing' ? 'What you would sign for' : 'What was asked for'}, byte by
        byte
      </h3>
      <Block label="The request as it was sent" text={contentTextOf(content)} />
      {message !== undefined && (
        <>
          <h3>Its message, read as text</h3>
          <Block label="Its message, read as text" text={message} />
        </>
      )}
      {record.digest !== undefined && <DigestFacts record={record} />}
    </>
  );
}
