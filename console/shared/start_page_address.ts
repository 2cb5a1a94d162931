import type { DeploymentTarget } from 'flow-deployments-client';

/**
 * Returns the address of a start page. The address with a flow and a tag starts the deployment that has the tag when a
 * visitor opens the page; the address with an id always starts that deployment.
 */
export function startPageAddress(target: Extract<DeploymentTarget, object>): string {
  const path = 'id' in target ? target.id : `f/${target.flow}/${target.tag ?? 'latest'}`;
  return new URL(`${import.meta.env.BASE_URL}start/${path}`, window.location.href).href;
}
