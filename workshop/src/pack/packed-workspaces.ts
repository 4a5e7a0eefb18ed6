/** Workspaces that are packed for desks. */
export const PACKED_WORKSPACES = ['client', 'client/ccxt', 'client/mcp'] as const;
