/** Where somebody gives this page the genesis that they brought from a party's machine. */
import { useState } from 'react';
import type { PinnedVault } from '@countersign/client/pinned-vault.js';
import { Button } from '../design/button.js';
import { Field, Row } from '../design/pieces.js';
import { Fault } from './fault.js';
import { keepGenesis, pinnedFrom } from './trusted-genesis.js';

export function GenesisForm({ onPin }: { readonly onPin: (pinned: PinnedVault) => void }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const keep = () => {
    const given = pinnedFrom(text);
    if (given === undefined) return setFault('This is not what `countersign genesis` prints.');
    keepGenesis(text);
    setFault(undefined);
    onPin(given);
  };
  return (
    <>
      <Field label="The vault’s genesis (JSON)">
        <textarea rows={3} value={text} onChange={({ target }) => setText(target.value)} />
      </Field>
      <Fault error={fault} />
      <Row>
        <Button disabledBecause={text.trim() === '' ? 'Paste it first.' : undefined} onPress={keep}>
          Trust this genesis in this browser
        </Button>
      </Row>
    </>
  );
}
