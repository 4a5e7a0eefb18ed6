/** Which path shows which screen. Screens are loaded when somebody goes there. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { Quiet, Screen } from './design/pieces.js';
import { AppFrame } from './layout/app-frame.js';

const root = createRootRoute({
  component: AppFrame,
  notFoundComponent: () => (
    <Screen title="No such page">
      <Quiet>Choose one of the screens beside.</Quiet>
    </Screen>
  ),
});

const approvals = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(
    () => import('./screens/approvals/approvals-screen.js'),
    'ApprovalsScreen',
  ),
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
    routeTree: root.addChildren([approvals, requests, request, freezes, firstSteps, asABot]),
    basepath: import.meta.env.BASE_URL,
    defaultPreload: 'intent',
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
