import type { Context } from 'hono';
import type { ActionsJson } from '../../types/action.ts';
import type { PublicAddress } from '../../platform/public_address.ts';

/**
 * `GET /action/actions.json`: maps pages to actions. On a site that serves this file, the pages /action/… map to the
 * actions of this function. The actions' own addresses map to themselves.
 */
export const makeActionsJson = ({ url, path }: PublicAddress) => async (context: Context): Promise<Response> => {
  const rules: ActionsJson = {
    rules: [
      { pathPattern: '/action/**', apiPath: `${url}/**` },
      { pathPattern: `${path}/**`, apiPath: `${url}/**` },
    ],
  };
  return context.json(rules);
};
