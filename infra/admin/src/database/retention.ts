/** Requests wait for approvals for less, and what is shown of them is looked for. */
export const MIN_DAYS = 30;
