import { Code } from '@mantine/core';

/** The characters at each end of a key that are shown. Wallets show as many. */
const SHOWN = 4;

/** A public key or a signature, shortened as wallets do. Under the pointer, shows all of it. */
export const ShortKey = ({ value }: { value: string }) => (
  <Code title={value}>{value.slice(0, SHOWN)}…{value.slice(-SHOWN)}</Code>
);
