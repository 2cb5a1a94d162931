import { flowKind } from './flow_kinds.ts';
import { bearer, type SoakFlow, type World } from './world.ts';

/** Somebody who starts deployments. */
export interface Caller {
  /** In what way, whoever it is: what the report counts by. */
  kind: string;
  headers: Record<string, string>;
  userId: string | undefined;
  isAnonymous: boolean;
}

/** Every caller of the world, by every credential that they have. */
export function callersOf({ users, publicKeys }: Pick<World, 'users' | 'publicKeys'>): Caller[] {
  const byToken = users.map(({ id, token, isAnonymous }) => ({
    kind: isAnonymous ? 'anonymous sign-in' : 'access token',
    headers: bearer(token),
    userId: id,
    isAnonymous,
  }));
  const byApiKey = users.flatMap(({ id, apiKey }) =>
    apiKey === undefined ? [] : [{ kind: 'API key', headers: { 'x-api-key': apiKey }, userId: id, isAnonymous: false }]
  );
  const byPublicKey = publicKeys.map((key) => ({
    kind: 'public key',
    headers: bearer(key),
    userId: undefined,
    isAnonymous: true,
  }));
  return [...byToken, ...byApiKey, ...byPublicKey];
}

/** Whether a caller may start a flow's deployments, as the documentation of start_permission says. */
export function mayStart({ userId, isAnonymous }: Caller, flow: SoakFlow): boolean {
  const { permission } = flowKind(flow.kind);
  return permission === 'Anonymous' || flow.owner.id === userId || (permission === 'Authenticated' && !isAnonymous);
}

/** How a start counts in the report: by credential, and whether it is the owner's own. */
export const callerKind = ({ kind, userId }: Caller, flow: SoakFlow): string =>
  userId === flow.owner.id ? `owner, ${kind}` : kind === 'access token' || kind === 'API key' ? `other, ${kind}` : kind;
