import { base64urlnopad } from '@scure/base';

const TOKEN_BYTES = 32;

/** Makes the token of a pending input: 256 random bits, in the form that the path of a submission accepts. */
export const makeInputToken = (): string =>
  `fi_${base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)))}`;
