import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { applyTheme } from './design/theme-choice.js';
import './design/theme.css';
import { createConsoleRouter } from './router.js';
import { takeCodeFromAddress } from './session/enrolment-link.js';
import { SessionProvider } from './session/session-store.js';

applyTheme();
takeCodeFromAddress();
// whoever opens such a link in a tab that is at this page already
addEventListener('hashchange', takeCodeFromAddress);
const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 2_000, retry: 1 } } });
createRoot(document.getElementById('page')!).render(
  <QueryClientProvider client={queries}>
    <SessionProvider>
      <RouterProvider router={createConsoleRouter()} />
    </SessionProvider>
  </QueryClientProvider>,
);
