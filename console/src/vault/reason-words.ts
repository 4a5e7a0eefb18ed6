/** Why something was refused, as the vault says it, with names in place of the ids of rules and policies. */

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export function namesAnId(reason: string): boolean {
  return reason.search(UUID) >= 0;
}

/** What is not in `names` stays an id. */
export function namedReason(reason: string, names: ReadonlyMap<string, string>): string {
  return reason.replaceAll(UUID, (id) => {
    const name = names.get(id);
    return name === undefined ? id : `“${name}”`;
  });
}
