/** Signing in, and what comes before the first time: a passkey, made with the code that a person was given. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/button.js';
import { Badge, Fact, Facts, Panel, Quiet, Row, Screen } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import layout from '../../design/layout.module.css';
import { forgetLinkedCode, linkedCode } from '../../session/enrolment-link.js';
import { openSession, type Newcomer } from '../../session/session.js';
import { useSeat } from '../../session/session-store.js';
import { beginSignIn, finishSignIn, SIGNED_IN_PATH } from '../../session/sign-in.js';
import {
  readSignInFacts,
  type IdentityProvider,
  type SignInFacts,
} from '../../session/sign-in-facts.js';
import { EnrolPanel } from './enrol-panel.js';

export function SignInScreen() {
  const facts = useQuery({ queryKey: ['sign-in-facts'], queryFn: readSignInFacts, retry: false });
  return (
    <main className={layout.alone}>
      <Screen title="Countersign" lead="Sign in to approve, freeze, and look after this vault.">
        {facts.isPending && <Quiet>Asking the vault how people sign in …</Quiet>}
        <Fault error={facts.error} />
        {facts.data !== undefined && <SignInSteps facts={facts.data} />}
      </Screen>
    </main>
  );
}

function SignInSteps({ facts }: { readonly facts: SignInFacts }) {
  const { begin, endedBecause } = useSeat();
  const navigate = useNavigate();
  const [newcomer, setNewcomer] = useState<Newcomer>();
  const [token, setToken] = useState<string>();
  const arrival = useQuery({
    queryKey: ['arrival'],
    enabled: location.pathname === SIGNED_IN_PATH,
    queryFn: async () => {
      const address = new URL(location.href);
      // the code is used up in a moment, and is in nobody's history
      await navigate({ to: '/', replace: true });
      const given = await finishSignIn(facts, address);
      setToken(given);
      return enter(given);
    },
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });

  async function enter(given: string): Promise<true> {
    const opened = await openSession(facts, given);
    if (!('person' in opened)) {
      setNewcomer(opened);
      return true;
    }
    begin(opened);
    if (forgetLinkedCode()) await navigate({ to: '/start' });
    return true;
  }

  if (arrival.isFetching) return <Quiet>Signing you in …</Quiet>;
  if (newcomer !== undefined && token !== undefined) {
    return <EnrolPanel facts={facts} newcomer={newcomer} onEnrolled={() => enter(token)} />;
  }
  return (
    <>
      {endedBecause !== undefined && <Quiet>{endedBecause} Sign in again to go on.</Quiet>}
      <Fault error={arrival.error} />
      <Providers facts={facts} />
      <Facts>
        <Fact name="Genesis of this vault">
          <code>{facts.genesis_hash}</code>
        </Fact>
      </Facts>
    </>
  );
}

const LABELS: Readonly<Record<IdentityProvider['kind'], string>> = {
  azure: 'Sign in with Microsoft',
  gcp: 'Sign in with Google',
  oidc: 'Sign in',
  development: 'Sign in as a developer',
};

function Providers({ facts }: { readonly facts: SignInFacts }) {
  const [error, setError] = useState<unknown>();
  const elsewhere = otherOrigin(facts);
  if (elsewhere !== undefined) return <Elsewhere origin={elsewhere} />;
  if (facts.providers.length === 0) {
    return (
      <Panel title="Nobody can sign in yet">
        <Quiet>
          This vault knows no identity provider. Name one in IDENTITY_PROVIDERS_FILE of its gateways
          and parties: docs/how-to/people.md says how.
        </Quiet>
      </Panel>
    );
  }
  return (
    <Panel title="Who are you?">
      <Row>
        {facts.providers.map((provider) => (
          <Button
            key={provider.issuer}
            kind="main"
            onPress={() => void beginSignIn(provider).catch(setError)}
          >
            {LABELS[provider.kind]}
          </Button>
        ))}
      </Row>
      {facts.providers.some(({ kind }) => kind === 'development') && (
        <Badge mood="warn">A development sign-in takes any name: not for production</Badge>
      )}
      <Fault error={error} />
      <Quiet>
        Every change is signed with your passkey besides: the sign-in alone can only look.{' '}
        {linkedCode() === undefined
          ? 'If you were given an enrolment code, sign in first; you are asked for it then.'
          : 'Your link is here: sign in first, then you make your passkey.'}
      </Quiet>
    </Panel>
  );
}

/** Where passkeys of this vault work, when that is not here. */
function otherOrigin({ relying_party: relyingParty }: SignInFacts): string | undefined {
  const origins = relyingParty?.origins ?? [];
  return origins.length === 0 || origins.includes(location.origin) ? undefined : origins[0];
}

function Elsewhere({ origin }: { readonly origin: string }) {
  const address = `${origin}${import.meta.env.BASE_URL}`;
  return (
    <Panel title="This is not the console's address">
      <Quiet>Passkeys of this vault belong to another address. Go on there:</Quiet>
      <a href={address}>{address}</a>
    </Panel>
  );
}
