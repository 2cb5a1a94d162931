import type { Context } from 'hono';
import type { ActionGetResult } from '../../types/action.ts';
import type { DescribedDeployment, InputDescription } from '../../types/deployment_description.ts';
import type { Deps } from '../_shared/deps.ts';
import { blockchainHeader } from './blockchains.ts';
import { describeAction } from './describe_action.ts';
import { NO_PAYER, payerOf } from './inputs.ts';
import { fieldText, hrefOf, parameterOf } from './parameters.ts';
import type { PublicAddress } from '../../platform/public_address.ts';
import { newOrderPart } from './order.ts';
import { readAction } from './read_action.ts';
import { givenInQuery, valueOfText } from './values.ts';

/** The label of the button. It names no purpose, because the purpose of the transaction is unknown here. */
const LABEL = 'Review and sign';

/** The longest default that is written into the address. The flow applies longer defaults itself. */
const MAX_DEFAULT_CHARACTERS = 200;

/** Returns the default of a field as text for the POST; undefined if there is no default or no valid text for it. */
function defaultText(input: InputDescription): string | undefined {
  if (input.default === null || input.default === undefined) return undefined;
  const text = fieldText(input.default);
  if (text === '' || text.length > MAX_DEFAULT_CHARACTERS) return undefined;
  try {
    valueOfText(input, text);
    return text;
  } catch {
    return undefined;
  }
}

/**
 * Describes a deployment for a wallet. The description has the address for the wallet's POST, and the address contains
 * a new order id. `query` is the query of the link.
 */
function showAction(
  deployment: DescribedDeployment,
  address: PublicAddress,
  path: string,
  query: Record<string, string[]>,
): ActionGetResult {
  const { inputs } = deployment;
  const view = { type: 'action', ...describeAction(deployment, address), label: LABEL } as const;
  const payer = payerOf(inputs);
  if (payer === undefined) return { ...view, disabled: true, error: { message: NO_PAYER } };
  const given = givenInQuery(query, inputs.filter((input) => input !== payer));
  for (const input of inputs) {
    const text = given.get(input.name);
    // Refuses a link with invalid values before anybody signs.
    if (text !== undefined) valueOfText(input, text);
  }
  const asked = inputs.filter((input) => input !== payer && !given.has(input.name));
  const parameters = asked.map(parameterOf);
  const places = asked.map((input) => ({ name: input.name, fallback: defaultText(input) }));
  const href = hrefOf(path, places, given, newOrderPart());
  const action = { type: 'transaction', href, label: LABEL, ...(parameters.length > 0 && { parameters }) } as const;
  return { ...view, links: { actions: [action] } };
}

/**
 * `GET /action/{deployment_id}` or `/action/{flow_id}/{tag}`: describes the action to a wallet before its user signs.
 */
export const makeGetAction =
  ({ rpc }: Deps, address: PublicAddress, pathOf: (context: Context) => string) =>
  async (context: Context): Promise<Response> => {
    const deployment = await readAction(context, rpc);
    const shown = showAction(deployment, address, pathOf(context), context.req.queries());
    // The answer must not be cached, because two buyers who got the same answer would share an order.
    return context.json(shown, 200, { ...blockchainHeader(deployment.cluster), 'cache-control': 'no-store' });
  };
