/** What is around every screen: where one is, who one is, and the freeze. */
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Button } from '../design/button.js';
import { Name } from '../design/pieces.js';
import { THEMES, useTheme } from '../design/theme-choice.js';
import { SignInScreen } from '../screens/sign-in/sign-in-screen.js';
import type { Session } from '../session/session.js';
import { useSeat } from '../session/session-store.js';
import { useRead } from '../vault/vault-queries.js';
import styles from './app-frame.module.css';
import { HealthLine } from './health-line.js';
import { NAVIGATION } from './navigation.js';
import { NavigationCount } from './navigation-count.js';

const loadFreezeDialog = () => import('../screens/freezes/freeze-dialog.js');
/** Not with the first page, which is small. */
const FreezeDialog = lazy(async () => ({ default: (await loadFreezeDialog()).FreezeDialog }));

/** Often enough that somebody who looks at any page sees a freeze of another person. */
const FREEZE_LOOK_MS = 10_000;

export function AppFrame() {
  const { session } = useSeat();
  return session === undefined ? <SignInScreen /> : <SignedInFrame session={session} />;
}

function SignedInFrame({ session }: { readonly session: Session }) {
  const [isFreezing, setFreezing] = useState(false);
  const main = useFocusOnArrival();
  useEffect(() => {
    // here before somebody is in a hurry
    void loadFreezeDialog();
  }, []);
  return (
    <>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.head}>
        <Link to="/" className={styles.brand}>
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" width="24" height="24" />
          <span>Countersign</span>
        </Link>
        <span className={styles.spring} />
        <span className={styles.who}>
          <Name text={session.person.display_name} />
        </span>
        <ThemeChoice />
        <SignOut />
        <span className={styles.freeze}>
          <Button kind="danger" onPress={() => setFreezing(true)}>
            Freeze…
          </Button>
        </span>
      </header>
      <HealthLine />
      <SystemFreeze />
      <div className={styles.body}>
        <Navigation />
        <main id="main" ref={main} className={styles.main}>
          <Outlet />
        </main>
      </div>
      <Suspense fallback={null}>
        {isFreezing && <FreezeDialog onClose={() => setFreezing(false)} />}
      </Suspense>
    </>
  );
}

/** A new screen begins at its title, also for who does not see it; the first page is left as the browser opened it. */
function useFocusOnArrival() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const earlier = useRef(path);
  useEffect(() => {
    if (earlier.current === path) return;
    earlier.current = path;
    main.current?.querySelector('h1')?.focus();
  }, [path]);
  return main;
}

/** On a phone it is wider than the page: where one is, is in sight. */
function Navigation() {
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => {
    const current = nav.current?.querySelector('[aria-current]');
    current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [path]);
  return (
    <nav ref={nav} className={styles.nav} aria-label="Screens">
      <ul>
        {NAVIGATION.map(({ to, label }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact: to === '/' }}>
              {label}
            </Link>
            <NavigationCount to={to} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function SystemFreeze() {
  const { data } = useRead('get-info', {}, { everyMs: FREEZE_LOOK_MS });
  if (data?.system_freeze == null) return null;
  return (
    <p role="status" className={styles.frozen}>
      The whole system is frozen: nothing is signed, and nothing changes but freezes.{' '}
      <Link to="/freezes">See why, and unfreeze</Link>
    </p>
  );
}

export function ThemeChoice() {
  const [theme, choose] = useTheme();
  return (
    <select
      aria-label="Colours"
      title="Colours"
      className={styles.theme}
      value={theme}
      onChange={({ target }) => choose(THEMES.find((name) => name === target.value) ?? 'system')}
    >
      <option value="system">Colours: automatic</option>
      <option value="light">Colours: light</option>
      <option value="dark">Colours: dark</option>
    </select>
  );
}

function SignOut() {
  const { end } = useSeat();
  return <Button onPress={() => end()}>Sign out</Button>;
}
