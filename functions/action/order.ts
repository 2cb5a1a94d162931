import { base64urlnopad } from '@scure/base';

/** The parameter for the id of an order, in the address to which a wallet posts. */
const PARAMETER = 'x-order-id';
const ORDER_ID = /^[\w-]{22,64}$/;

/**
 * Makes the part of a query that names a new order. The order's id is secret: only those who were shown the address
 * know it.
 */
export const newOrderPart = (): string =>
  `${PARAMETER}=${base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(16)))}`;

/**
 * Reads the id of the order from the query of a POST. Returns undefined if the id is missing, or so short that it could
 * be guessed.
 */
export function orderIdOf(query: Record<string, string[]>): string | undefined {
  const [id = '', another] = Object.hasOwn(query, PARAMETER) ? query[PARAMETER]! : [];
  return another === undefined && ORDER_ID.test(id) ? id : undefined;
}
