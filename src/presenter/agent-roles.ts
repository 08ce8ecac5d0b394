/** What the roles of children are called. */
const ROLES = { default: 'Agent', explorer: 'Explorer', worker: 'Worker' } as const;

/** Pure: the name of a role in English, to be translated where it is shown; itself where it is none of ours. */
export function roleName(agent: string): string {
  if (agent === '') return ROLES.default;
  const known: ReadonlyMap<string, string> = new Map(Object.entries(ROLES));
  return known.get(agent) ?? agent;
}
