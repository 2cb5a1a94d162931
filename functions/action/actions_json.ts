import type { Context } from 'hono';
import type { ActionsJson } from '../../types/action.ts';
import type { PublicAddress } from '../_shared/public_address.ts';

/**
 * `GET /action/actions.json`: the pages /action/… of a site that serves this file are the actions here, and so are the
 * actions' own addresses.
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
