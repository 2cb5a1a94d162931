import { base64urlnopad } from '@scure/base';

/** The parameter that tells orders apart, in the address to which a wallet posts. */
const PARAMETER = 'x-order-id';
const ORDER_ID = /^[\w-]{22,64}$/;

/** What an address gets for a new order. Nobody who was not shown the address knows it. */
export const newOrderPart = (): string =>
  `${PARAMETER}=${base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(16)))}`;

/** The id of the order in the query of a POST; undefined for none, and for one that could be guessed. */
export function orderIdOf(query: Record<string, string[]>): string | undefined {
  const [id = '', another] = Object.hasOwn(query, PARAMETER) ? query[PARAMETER]! : [];
  return another === undefined && ORDER_ID.test(id) ? id : undefined;
}
