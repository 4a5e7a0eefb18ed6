/** Ids of a user's groups: those of now, with what was ticked (`true`) or unticked since. */
export function withChanges(
  now: readonly string[],
  changed: Readonly<Record<string, boolean>>,
): readonly string[] {
  const added = Object.keys(changed).filter((id) => changed[id] === true && !now.includes(id));
  return [...now.filter((id) => changed[id] !== false), ...added];
}
