import { useState } from 'react';
import type { OperationValue } from '@countersign/client/operation-calls.js';
import { CopyableId } from '../../design/copyable-id.js';
import { Fact, Facts, Field, Quiet, Time } from '../../design/pieces.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { useChange } from '../../vault/vault-queries.js';
import type { FirstThings, FirstWallet } from './first-things.js';
import { StepPanel } from './step-panel.js';

type Signed = OperationValue<'raw-sign'>;

export function SignatureStep({ things: { wallet, hasPolicy } }: { readonly things: FirstThings }) {
  const [signed, setSigned] = useState<Signed>();
  return (
    <StepPanel number={6} title="A first signature" isDone={signed !== undefined}>
      {signed !== undefined && <SignedFacts signed={signed} />}
      {wallet === undefined || !hasPolicy ? (
        <Quiet>It needs the wallet and the policy first.</Quiet>
      ) : (
        <NewSignature wallet={wallet} onSigned={setSigned} />
      )}
    </StepPanel>
  );
}

interface NewSignatureProps {
  readonly wallet: FirstWallet;
  readonly onSigned: (signed: Signed) => void;
}

function NewSignature({ wallet, onSigned }: NewSignatureProps) {
  const [text, setText] = useState('hello');
  const sign = useChange(async (calls) => {
    const result = await calls.call('raw-sign', {
      params: { vault_id: wallet.vault_id, address: wallet.address },
      body: { message: Buffer.from(text, 'utf8').toString('base64') },
    });
    if (result.ok) onSigned(result.value);
    return result;
  });
  return (
    <>
      <Field label="Message">
        <input value={text} maxLength={512} onChange={({ target }) => setText(target.value)} />
      </Field>
      <ConfirmedChange
        label="Sign this message"
        disabledBecause={text === '' ? 'Write a message first.' : undefined}
        change={sign}
      />
    </>
  );
}

function SignedFacts({ signed: { signature, public_key: key, receipt } }: { signed: Signed }) {
  return (
    <Facts>
      <Fact name="Signature">
        <CopyableId text={signature} what="signature" />
      </Fact>
      <Fact name="Public key">
        <CopyableId text={key} what="public key" />
      </Fact>
      <Fact name="Made by">parties {receipt.parties.join(' and ')} of three</Fact>
      <Fact name="At">
        <Time at={receipt.signed_at} />
      </Fact>
    </Facts>
  );
}
