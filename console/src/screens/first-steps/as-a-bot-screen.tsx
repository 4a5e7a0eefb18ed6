/** A machine user, and the lines with which it signs. */
import { useState } from 'react';
import { Block, Fact, Facts, Field, Panel, Quiet, Screen } from '../../design/pieces.js';
import { CopyableId } from '../../design/copyable-id.js';
import { CopyButton } from '../../design/copy-button.js';
import { ConfirmedChange } from '../../vault/confirmed-change.js';
import { useChange } from '../../vault/vault-queries.js';
import { botProgram, isPublicKey, KEY_COMMANDS } from './bot-program.js';
import { FirstStepsTabs } from './first-steps-tabs.js';
import { useFirstThings } from './first-things.js';

export function AsABotScreen() {
  const { wallet } = useFirstThings();
  const program = botProgram({
    baseUrl: location.origin,
    vaultId: wallet?.vault_id ?? 'VAULT-ID',
    address: wallet?.address ?? 'ADDRESS',
  });
  return (
    <Screen
      title="As a bot"
      lead="A bot has a key of its own, which never leaves its machine, and an API key."
    >
      <FirstStepsTabs />
      <Panel title="1. On the bot's machine: make its key">
        <Block label="Commands that make a key" text={KEY_COMMANDS} />
        <CopyButton text={KEY_COMMANDS} what="the commands" />
        <Quiet>The second line prints the public key: 64 hexadecimal digits.</Quiet>
      </Panel>
      <NewBot />
      <Panel title="3. Ten lines that sign">
        <Block label="A program that signs" text={program} />
        <CopyButton text={program} what="the program" />
        <Quiet>
          {wallet === undefined
            ? 'There is no wallet yet: make one on the other tab, and its vault and address stand here. '
            : ''}
          A rule must name the bot among its initiators, or the answer is 403 and says why.
        </Quiet>
      </Panel>
    </Screen>
  );
}

function NewBot() {
  const [name, setName] = useState('First bot');
  const [key, setKey] = useState('');
  const create = useChange((calls) =>
    calls.call('create-user', {
      body: { type: 'machine', display_name: name.trim(), public_key: key.trim() },
    }),
  );
  return (
    <Panel title="2. Here: make its user">
      <Field label="Name of the bot">
        <input value={name} maxLength={128} onChange={({ target }) => setName(target.value)} />
      </Field>
      <Field label="Its public key">
        <input
          value={key}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => setKey(target.value)}
        />
      </Field>
      {create.data?.type === 'machine' ? (
        <BotMade id={create.data.id} apiKey={create.data.api_key} />
      ) : (
        <ConfirmedChange
          label={`Create machine user ${name.trim()}`}
          disabledBecause={obstacle(name, key)}
          change={create}
        />
      )}
    </Panel>
  );
}

function BotMade({ id, apiKey }: { readonly id: string; readonly apiKey: string | undefined }) {
  return (
    <Facts>
      <Fact name="Its id">
        <CopyableId text={id} what="id" />
      </Fact>
      <Fact name="API key, shown this once">
        {apiKey === undefined ? 'it was shown before' : <CopyableId text={apiKey} what="API key" />}
      </Fact>
      <Fact name="Keep it as">
        <code>bot.api-key</code> beside the program, readable by the bot alone.
      </Fact>
    </Facts>
  );
}

function obstacle(name: string, key: string): string | undefined {
  if (name.trim() === '') return 'Give it a name first.';
  return isPublicKey(key) ? undefined : 'Paste the 64 hexadecimal digits of its public key.';
}
