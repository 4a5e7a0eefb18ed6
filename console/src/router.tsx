/** Which path shows which screen. Screens are loaded when somebody goes there. */
import { lazy } from 'react';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { Quiet, Screen } from './design/pieces.js';
import { AppFrame } from './layout/app-frame.js';
import { subjectsOfSearch } from './screens/audit/audit-filters.js';

const root = createRootRoute({
  component: AppFrame,
  notFoundComponent: () => (
    <Screen title="No such page">
      <Quiet>Choose a screen in the navigation.</Quiet>
    </Screen>
  ),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/',
  // not before it is shown, as the router would have it: whoever is not signed in sees another page in its place
  component: lazy(async () => ({
    default: (await import('./screens/approvals/approvals-screen.js')).ApprovalsScreen,
  })),
});

const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  component: lazyRouteComponent(
    () => import('./screens/requests/requests-screen.js'),
    'RequestsScreen',
  ),
});

const request = createRoute({
  getParentRoute: () => root,
  path: '/requests/$requestId',
  component: lazyRouteComponent(
    () => import('./screens/requests/request-screen.js'),
    'RequestScreen',
  ),
});

const freezes = createRoute({
  getParentRoute: () => root,
  path: '/freezes',
  component: lazyRouteComponent(
    () => import('./screens/freezes/freezes-screen.js'),
    'FreezesScreen',
  ),
});

const firstSteps = createRoute({
  getParentRoute: () => root,
  path: '/start',
  component: lazyRouteComponent(
    () => import('./screens/first-steps/first-steps-screen.js'),
    'FirstStepsScreen',
  ),
});

const policies = createRoute({
  getParentRoute: () => root,
  path: '/policies',
  component: lazyRouteComponent(
    () => import('./screens/policies/policies-screen.js'),
    'PoliciesScreen',
  ),
});

const policy = createRoute({
  getParentRoute: () => root,
  path: '/policies/$policyId',
  component: lazyRouteComponent(
    () => import('./screens/policies/policy-screen.js'),
    'PolicyScreen',
  ),
});

const addressBook = createRoute({
  getParentRoute: () => root,
  path: '/address-book',
  component: lazyRouteComponent(
    () => import('./screens/address-book/address-book-screen.js'),
    'AddressBookScreen',
  ),
});

const rights = createRoute({
  getParentRoute: () => root,
  path: '/rights',
  component: lazyRouteComponent(() => import('./screens/rights/rights-screen.js'), 'RightsScreen'),
});

const desk = createRoute({
  getParentRoute: () => root,
  path: '/rights/desk',
  component: lazyRouteComponent(() => import('./screens/rights/desk-screen.js'), 'DeskScreen'),
});

const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(
    () => import('./screens/webhooks/webhooks-screen.js'),
    'WebhooksScreen',
  ),
});

const users = createRoute({
  getParentRoute: () => root,
  path: '/users',
  component: lazyRouteComponent(() => import('./screens/users/users-screen.js'), 'UsersScreen'),
});

const user = createRoute({
  getParentRoute: () => root,
  path: '/users/$userId',
  component: lazyRouteComponent(() => import('./screens/users/user-screen.js'), 'UserScreen'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(() => import('./screens/custody/keys-screen.js'), 'KeysScreen'),
});

const key = createRoute({
  getParentRoute: () => root,
  path: '/keys/$keyId',
  component: lazyRouteComponent(() => import('./screens/custody/key-screen.js'), 'KeyScreen'),
});

const vaults = createRoute({
  getParentRoute: () => root,
  path: '/vaults',
  component: lazyRouteComponent(() => import('./screens/custody/vaults-screen.js'), 'VaultsScreen'),
});

const vault = createRoute({
  getParentRoute: () => root,
  path: '/vaults/$vaultId',
  component: lazyRouteComponent(() => import('./screens/custody/vault-screen.js'), 'VaultScreen'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: subjectsOfSearch,
  component: lazyRouteComponent(() => import('./screens/audit/audit-screen.js'), 'AuditScreen'),
});

const operations = createRoute({
  getParentRoute: () => root,
  path: '/operations',
  component: lazyRouteComponent(
    () => import('./screens/operations/operations-screen.js'),
    'OperationsScreen',
  ),
});

const runbook = createRoute({
  getParentRoute: () => root,
  path: '/runbooks/$name',
  component: lazyRouteComponent(
    () => import('./screens/runbooks/runbook-screen.js'),
    'RunbookScreen',
  ),
});

const system = createRoute({
  getParentRoute: () => root,
  path: '/system',
  component: lazyRouteComponent(
    () => import('./screens/settings/settings-screen.js'),
    'SettingsScreen',
  ),
});

const asABot = createRoute({
  getParentRoute: () => root,
  path: '/start/bot',
  component: lazyRouteComponent(
    () => import('./screens/first-steps/as-a-bot-screen.js'),
    'AsABotScreen',
  ),
});

export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren([
      approvals,
      requests,
      request,
      freezes,
      policies,
      policy,
      addressBook,
      rights,
      desk,
      webhooks,
      users,
      user,
      keys,
      key,
      vaults,
      vault,
      audit,
      operations,
      runbook,
      system,
      firstSteps,
      asABot,
    ]),
    basepath: import.meta.env.BASE_URL,
    defaultPreload: 'intent',
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
