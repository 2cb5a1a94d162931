import { flowKind } from './flow_kinds.ts';
import { bearer, type SoakFlow, type World } from './world.ts';

/** A caller who starts deployments. */
export interface Caller {
  /** The kind of credential, by which the report counts. */
  kind: string;
  headers: Record<string, string>;
  userId: string | undefined;
  isAnonymous: boolean;
}

/** Lists every caller of the world, with each credential. */
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

/** Tests whether a caller may start a flow's deployments, by the documentation of start_permission. */
export function mayStart({ userId, isAnonymous }: Caller, flow: SoakFlow): boolean {
  const { permission } = flowKind(flow.kind);
  return permission === 'Anonymous' || flow.owner.id === userId || (permission === 'Authenticated' && !isAnonymous);
}

/** Returns the kind under which the report counts a start: the credential, and whether the caller owns the flow. */
export const callerKind = ({ kind, userId }: Caller, flow: SoakFlow): string =>
  userId === flow.owner.id ? `owner, ${kind}` : kind === 'access token' || kind === 'API key' ? `other, ${kind}` : kind;
