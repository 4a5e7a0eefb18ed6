/** What the side of every page leads to, in this order. A new screen is a row here and a route in router.tsx. */
export const NAVIGATION = [
  { to: '/', label: 'Approvals' },
  { to: '/requests', label: 'Requests' },
  { to: '/freezes', label: 'Freezes' },
  { to: '/start', label: 'First steps' },
] as const;
