/** What the side of every page leads to, in this order. A new screen is a row here and a route in router.tsx. */
export const NAVIGATION = [
  { to: '/', label: 'Approvals' },
  { to: '/requests', label: 'Requests' },
  { to: '/freezes', label: 'Freezes' },
  { to: '/policies', label: 'Policies' },
  { to: '/address-book', label: 'Address book' },
  { to: '/rights', label: 'Rights' },
  { to: '/users', label: 'Users' },
  { to: '/keys', label: 'Keys' },
  { to: '/vaults', label: 'Vaults' },
  { to: '/audit', label: 'Audit' },
  { to: '/operations', label: 'Operations' },
  { to: '/webhooks', label: 'Webhooks' },
  { to: '/system', label: 'System' },
  { to: '/start', label: 'First steps' },
] as const;
