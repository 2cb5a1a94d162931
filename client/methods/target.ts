import type { DeploymentTarget } from '../flow_client.ts';
import { inPlaceOfOwn, type RequestHeaders } from '../requests/request.ts';

/** Makes the query that names a deployment. */
export function targetQuery(target: DeploymentTarget): string {
  if (typeof target === 'string') return `id=${encodeURIComponent(target)}`;
  if (typeof target === 'number') return `flow=${target}`;
  if ('id' in target) return `id=${encodeURIComponent(target.id)}`;
  return `flow=${target.flow}${target.tag === undefined ? '' : `&tag=${encodeURIComponent(target.tag)}`}`;
}

/**
 * Returns headers with which a request acts as the unauthenticated caller who has this public key. Without a public
 * key, returns no headers.
 */
export const asPublicKey = (publicKey: string | undefined): RequestHeaders =>
  publicKey === undefined ? {} : inPlaceOfOwn(publicKey);
